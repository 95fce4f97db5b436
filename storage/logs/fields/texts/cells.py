"""Objects and lists that a log holds as text: JSON, also in base64, or as Python prints them.

Data frames write a list into a cell of a CSV as ``['a', 'b']``, NumPy as ``['a' 'b']``, and
LangChain prints a document as ``Document(page_content='…')``.
PostgreSQL writes an array of texts as ``{"a","b"}``.
"""

from __future__ import annotations

import ast
import base64
import json
import re
from typing import Any

from qsquared.storage.logs.fields.texts.markup import from_xml

_MOST_CHARACTERS = 1 << 20
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
    """Return the object or list in a text, also of XML; any other value is returned unchanged."""
    held = parsed(value)
    xml = isinstance(held, str) and held.lstrip()[:1] == "<" and len(held) <= _MOST_CHARACTERS
    return (from_xml(held) if xml else None) or held


def by_ids(value: Any) -> list[dict[str, Any]] | None:
    """Return the objects that an object holds by ids that they state themselves, None for any other value."""
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
