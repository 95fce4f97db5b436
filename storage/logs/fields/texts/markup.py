"""Objects that a log holds as XML in a text.

A field of HTML stays a text; so does XML that declares its own document type, whose entities may expand without end.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any
from xml.etree import ElementTree as ET

_REMARKS = r"\s*(?:(?:<\?[^<>]*\?>|<!--[^<>]*-->)\s*)*"
_ROOT = re.compile(rf"{_REMARKS}<(?P<root>[A-Za-z_][\w.:-]*)(?![\w.:-])[^<>]*>{_REMARKS}<[A-Za-z_]")
_OF_PAGES = re.compile(
    r"html|body|div|p|span|section|article|main|table|[uod]l|li|h[1-6]|a|b|i|em|strong|br|blockquote|pre",
    re.IGNORECASE,
)
_DECLARES = ("<!DOCTYPE", "<!ENTITY")


def from_xml(text: str) -> dict[str, Any] | None:
    """Return the elements in a text as objects by their names, None if it is no XML.

    Attributes and elements within are fields, the text of an element with attributes is its field ``text``.
    Elements are a list if one of their name stands twice in an element of the text, or alone in one without others.
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
        return {_name(root.tag): _value(root, several)}
    except (ET.ParseError, RecursionError):
        return None


def _value(element: ET.Element, several: set[tuple[str, str]]) -> Any:
    found: dict[str, Any] = dict(element.attrib)
    text = (element.text or "").strip()
    for inner in element:
        value = _value(inner, several)
        if (element.tag, inner.tag) in several:
            found.setdefault(_name(inner.tag), []).append(value)
        else:
            found[_name(inner.tag)] = value
    if not found:
        return text
    return {**found, "text": text} if text else found


def _name(tag: str) -> str:
    """Return the name of an element without its namespace."""
    return tag.rpartition("}")[2]
