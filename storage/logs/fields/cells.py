"""Objects and lists that a log holds as text: JSON, also in base64, or as Python prints them.

Data frames write a list into a cell of a CSV as ``['a', 'b']``, NumPy as ``['a' 'b']``, and
LangChain prints a document as ``Document(page_content='…')``.
PostgreSQL writes an array of texts as ``{"a","b"}``.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import re
import tokenize
from typing import Any

_MOST_CHARACTERS = 1 << 20
_LITERAL = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_STRING = re.compile(_LITERAL, re.DOTALL)
_STRINGS = re.compile(rf"\[\s*(?:{_LITERAL}\s*,?\s*)+\]", re.DOTALL)
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
        tree = ast.parse(text, mode="eval")
        _refuse_joined(text, tree)
        return _value(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return otherwise


def _refuse_joined(text: str, tree: ast.AST) -> None:
    """Raise a `ValueError` if Python would join strings that no comma separates."""
    read = sum(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(tree))
    try:
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        written = sum(token.type == tokenize.STRING for token in tokens)
    except tokenize.TokenError as error:
        raise ValueError from error
    if read != written:
        raise ValueError("strings that no comma separates")


def _value(node: ast.AST) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return {
            str(_value(key)): _value(item)
            for key, item in zip(node.keys, node.values, strict=True)
            if key is not None
        }
    if isinstance(node, ast.Call) and node.keywords and not node.args:
        return {one.arg: _value(one.value) for one in node.keywords if one.arg is not None}
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _value(node.operand)
        if isinstance(number, int | float):
            return -number
    raise ValueError("no plain value")
