"""Objects and lists that a log holds as text: JSON, also in base64 or encoded again, JSON lines, Python's print, XML.

Data frames write a list into a cell of a CSV as ``['a', 'b']``, NumPy as ``['a' 'b']``, and
LangChain prints a document as ``Document(page_content='…')``.
PostgreSQL writes an array of texts as ``{"a","b"}``.
A field of HTML stays a text; so does XML that declares its own document type, whose entities may expand without end.
"""

import ast
import base64
import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any
from xml.etree import ElementTree as ET

IN_ORDER = "in order"
"""The field of an element with the list of all objects within it, each with the name of its element."""
_MOST_CHARACTERS = 1 << 20
_LEAST_WORDS = 5
"""The words of a name that somebody wrote, and no program."""
_LITERAL = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_STRING = re.compile(_LITERAL, re.DOTALL)
_STRINGS = re.compile(rf"\[\s*(?:{_LITERAL}\s*,?\s*)+\]", re.DOTALL)
_JOINED = re.compile("\0\\s*[bru]{0,2}\0", re.IGNORECASE)
"""Two strings in place of which a mark stands, without a comma between them."""
_ARRAY = re.compile(r'\{"(?:[^"\\]|\\.)*"(?:,"(?:[^"\\]|\\.)*")*\}', re.DOTALL)
_BEGINS_LIST = re.compile(r"""\[\s*(?:['"{\[]|[A-Za-z]\w*\()""")
_PACKED = {"eyI", "eyJ", "W3s", "WyI", "WyJ"}
"""The beginnings of JSON in base64."""
_NAMES: dict[str, Any] = {"nan": None, "null": None, "true": True, "false": False}
_REMARKS = r"\s*(?:(?:<\?[^<>]*\?>|<!--[^<>]*-->)\s*)*"
_ROOT = re.compile(rf"{_REMARKS}<(?P<root>[A-Za-z_][\w.:-]*)(?![\w.:-])[^<>]*>{_REMARKS}<[A-Za-z_]")
_OF_PAGES = re.compile(
    r"html|body|div|p|span|section|article|main|table|[uod]l|li|h[1-6]|a|b|i|em|strong|br|blockquote|pre",
    re.IGNORECASE,
)
SENT = ("data:", "event:")
"""The beginnings of a stream of server-sent events in a text."""
OF_STREAM = re.compile(r"(?:data|event|id|retry)?:|\s*\Z")
"""The beginning of a line of such a stream, which may be blank."""
_DECLARES = ("<!DOCTYPE", "<!ENTITY")


def parsed(value: Any) -> Any:
    """Return the object or list in a text; any other value is returned unchanged."""
    if not isinstance(value, str):
        return value
    if value[:3] in _PACKED:
        value = _unpacked(value)
    if value.lstrip()[:1] not in {"{", "["}:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return _printed(value.strip(), value)


def opened(value: Any) -> Any:
    """Return the object or list in a text, also of XML, JSON lines, a stream of events, or JSON encoded again.

    Any other value is returned unchanged.
    """
    held = parsed(value)
    if not isinstance(held, str):
        return held
    begin = held.lstrip()[:1]
    found: Any = None
    if begin == "<" and len(held) <= _MOST_CHARACTERS:
        found = from_xml(held)
    elif begin == "{":
        found = from_lines(held)
    elif held.startswith(SENT):
        found = sent_events(held.splitlines()) or None
    elif begin == '"' and held.lstrip('"\\ ')[:1] in {"{", "["}:
        found = opened(again) if (again := unquoted(held)) != held else None
    return found if isinstance(found, dict | list) else held


_PAIRED = {"key", "name", "field", "fieldName", "field_name"}
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})*")
"""The number of an item, or of a part of one."""


def from_lines(text: str) -> list[dict[str, Any]] | None:
    """Return the objects that stand on the lines of a text, None if a line holds anything else."""
    lines = [line for line in text.splitlines() if line.strip()]
    alone = len(lines) < 2 or not all(line.lstrip().startswith("{") for line in lines)
    objects = [] if alone else [parsed(line) for line in lines]
    return objects if objects and all(isinstance(one, dict) for one in objects) else None


def sent_events(lines: Sequence[str]) -> list[dict[str, Any]]:
    """Return the objects that the lines of a stream of server-sent events hold; none of other lines."""
    if not all(map(OF_STREAM.match, lines)):
        return []
    data = (line.removeprefix("data:") for line in lines if line.startswith("data:"))
    return [held for one in data if isinstance(held := parsed(one.strip()), dict)]


def by_numbers(value: Any) -> list[Any] | None:
    """Return the values that an object holds by numbers, in the order of these, None if it has other names."""
    if not (
        isinstance(value, dict) and value and all(_NUMBER.fullmatch(str(key)) for key in value)
    ):
        return None
    return [value[key] for key in sorted(value, key=lambda key: [*map(int, str(key).split("."))])]


def _is_phrase(name: Any) -> bool:
    return isinstance(name, str) and len(name.split()) >= _LEAST_WORDS


def by_names(value: Any) -> dict[str, Any] | None:
    """Return the values of a list of them with their names, None if it has others.

    Such as ``[{"fieldName": "Chunk", "value": "Silver status …"}]``.
    """
    pairs = value if isinstance(value, list) else []
    named = {}
    for pair in pairs:
        names = pair.keys() & _PAIRED if isinstance(pair, dict) else set()
        if len(names) == 1 and pair.keys() - names == {"value"}:
            named[str(pair[names.pop()])] = pair["value"]
    return named if named and len(named) == len(pairs) else None


def by_ids(value: Any) -> list[dict[str, Any]] | None:
    """Return the objects that an object holds by numbers, by phrases such as what was searched for, or by ids.

    Ids are those that the objects state themselves; None if the object holds others.
    """
    if (counted := by_numbers(value)) and all(isinstance(one, dict) for one in counted):
        return counted
    if isinstance(value, dict) and value and all(map(_is_phrase, value)):
        phrased = [*value.values()]
        return phrased if all(isinstance(one, dict) for one in phrased) else None
    if not isinstance(value, dict) or len(value) < 2:
        return None
    first = next(iter(value.values()))
    for name in first if isinstance(first, dict) else ():
        if all(
            isinstance(one, dict) and name in one and one[name] == key for key, one in value.items()
        ):
            return list(value.values())
    return None


def _unpacked(text: str) -> str:
    """Return the JSON in a text of base64, as queues write their messages; any other text as it is."""
    try:
        found = base64.b64decode(text, validate=True).decode()
        return found if isinstance(json.loads(found), dict | list) else text
    except (ValueError, RecursionError):
        return text


def unquoted(value: Any) -> Any:
    """Return the object, list or text in a JSON text; any other value is returned unchanged."""
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return json.loads(value)
        except ValueError:
            return value
    return parsed(value)


def looks_like_list(text: str) -> bool:
    """Whether a text begins and ends like a list of texts or objects."""
    stripped = text.strip()
    return stripped.endswith("]") and _BEGINS_LIST.match(stripped) is not None


def _printed(text: str, otherwise: Any) -> Any:
    """Return the object or list that Python printed as this text, ``otherwise`` if it is none."""
    if not text.endswith(("]", "}")) or len(text) > _MOST_CHARACTERS:
        return otherwise
    if _ARRAY.fullmatch(text):
        return [re.sub(r"\\(.)", r"\1", one[1:-1]) for one in _STRING.findall(text)]
    try:
        # Python itself would join strings that no comma separates.
        if _STRINGS.fullmatch(text):
            return [ast.literal_eval(one) for one in _STRING.findall(text)]
        joined = _JOINED.search(_STRING.sub("\0", text))
        return otherwise if joined else _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return otherwise


def _value(node: ast.AST | None) -> Any:
    match node:
        case ast.Constant(value):
            return value
        case ast.List(inner) | ast.Tuple(inner):
            return [_value(item) for item in inner]
        case ast.Dict(keys, values):
            pairs = zip(keys, values, strict=True)
            return {str(_value(key)): _value(item) for key, item in pairs if key is not None}
        case ast.Call(args=[], keywords=[_, *_] as named):
            return {one.arg: _value(one.value) for one in named if one.arg is not None}
        case ast.Name(name) if name in _NAMES:
            return _NAMES[name]
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as number)):
            return -number
    raise ValueError("no plain value")


def from_xml(text: str) -> dict[str, Any] | None:
    """Return the elements in a text as objects by their names, None if it is no XML.

    Attributes and elements within are fields, the text of an element with attributes is its field ``text``.
    Elements are a list if one of their name stands twice in an element of the text, or alone in one without others.
    If objects of others stand between those of a name, as searches between messages, they are a list in order, too.
    """
    begin = _ROOT.match(text)
    if begin is None or _OF_PAGES.fullmatch(begin["root"]) or any(one in text for one in _DECLARES):
        return None
    try:
        root = ET.fromstring(text.strip())  # noqa: S314 - no entities are declared
        several: set[tuple[str, str]] = set()
        for outer in root.iter():
            counted = Counter(inner.tag for inner in outer)
            alone = len(counted) == 1
            several |= {(outer.tag, tag) for tag, count in counted.items() if count > 1 or alone}
        # An element that has attributes or others elsewhere is an object wherever it stands.
        objects = {one.tag for one in root.iter() if one.attrib or len(one)}
        return {_name(root.tag): _element(root, several, objects)}
    except (ET.ParseError, RecursionError):
        return None


def _element(element: ET.Element, several: set[tuple[str, str]], objects: set[str]) -> Any:
    found: dict[str, Any] = dict(element.attrib)
    text = (element.text or "").strip()
    values = [(_name(inner.tag), _element(inner, several, objects)) for inner in element]
    names = [name for name, _ in values]
    inside = [(name, one) for name, one in values if isinstance(one, dict)]
    if len({name for name, _ in inside}) > 1 and len([*groupby(names)]) > len(set(names)):
        found[IN_ORDER] = [{"element": name, **one} for name, one in inside]
    for inner, (_, value) in zip(element, values, strict=True):
        if (element.tag, inner.tag) in several:
            found.setdefault(_name(inner.tag), []).append(value)
        else:
            found[_name(inner.tag)] = value
    if not found:
        return {"text": text} if text and element.tag in objects else text
    return {**found, "text": text} if text else found


def _name(tag: str) -> str:
    """Return the name of an element without its namespace."""
    return tag.rpartition("}")[2]
