"""Read the values of log fields as ids, numbers, times and texts, or say why they cannot be read."""

import json
import math
import re
from collections.abc import Mapping
from datetime import date, time
from decimal import Decimal
from typing import Any

from qsquared.storage.logs.fields.embedded_values import parsed
from qsquared.storage.logs.fields.emptiness import is_null
from qsquared.storage.logs.fields.times import moment_of

_WHOLE = re.compile(r"\s*([+-]?\d+)(?:\.0+)?\s*")
"""A whole number, which data frames write beside gaps as 3.0."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_INT32 = 1 << 31
_SHOWN = 60


class FieldError(ValueError):
    """The fields of a row make no turn; the message is a sentence for the rejects table."""


def wrong(name: str, value: object, wanted: str) -> FieldError:
    """Return the error of a field of the wrong type."""
    return FieldError(f"Field {name!r} is {_show(value)}, not {wanted}.")


def clean(text: str) -> str:
    """Return the text with U+FFFD for lone surrogates, which no UTF-8 file can hold."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def is_missing(value: object) -> bool:
    """Whether an optional field is not given: None, NaN (as data frames write it) or blank text."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, float) and math.isnan(value))


def is_absent(value: object) -> bool:
    """Whether a field is not given, or holds a word that programs write where there is no value."""
    return is_null(value) if isinstance(value, str) else is_missing(value)


def read_name(name: str, value: object) -> str | None:
    """Read an id, which is a text or a whole number.

    Raises:
        FieldError: it is neither.
    """
    if is_missing(value):
        return None
    if isinstance(value, str):
        return clean(value)
    number = _whole(value)
    if number is None:
        raise wrong(name, value, "a text or whole number")
    return str(number)


def read_int32(name: str, value: object) -> int | None:
    """Read a whole number, or a text that is one.

    Raises:
        FieldError: it is no whole number, or too large.
    """
    if is_absent(value):
        return None
    number = _whole(value)
    if number is None or not -_INT32 <= number < _INT32:
        raise wrong(name, value, "a whole number" if number is None else "a 32-bit number")
    return number


def read_texts(name: str, value: object) -> list[str]:
    """Read the texts that are not blank from a text, a list of texts, or such a list as text.

    Args:
        name: the field.
        value: its value; an item may be an object with a ``text`` or ``content``.

    Raises:
        FieldError: it has another form.
    """
    if is_absent(value):
        return []
    found = parsed(value)
    listed = isinstance(found, list) and all(isinstance(item, str | dict) for item in found)
    if isinstance(value, str) and not listed:
        found = [value]
    if not isinstance(found, list):
        raise wrong(name, value, "a text or a list of texts")
    texts = []
    for item in found:
        text = item
        if isinstance(item, dict):
            text = next((item[field] for field in TEXT_FIELDS if field in item), item)
        if is_missing(text):
            continue
        if not isinstance(text, str):
            raise wrong(name, value, "a list of texts")
        texts.append(clean(text))
    return texts


TEXT_FIELDS = ("text", "content", "value", "message")
"""Fields that hold the text of an utterance that is an object."""


def to_json(fields: Mapping[str, Any]) -> str:
    """Return fields of a log as the text of one JSON object, in their order; NaN becomes null.

    Raises:
        FieldError: they are nested too deeply.
    """
    if not fields:
        return "{}"
    try:
        text = _ENCODER.encode(fields)
        if "NaN" in text or "Infinity" in text:
            text = _ENCODER.encode(json.loads(text, parse_constant=lambda _: None))
    except (RecursionError, ValueError, TypeError) as error:
        raise FieldError("The row is nested too deeply to be kept.") from error
    return clean(text)


def as_text(value: Any) -> str:
    """Return a value that JSON lacks as a text: times as ISO 8601."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.isoformat() if isinstance(value, date | time) else str(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, default=as_text)


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float | Decimal):
        return int(value) if math.isfinite(value) and value == int(value) else None
    found = _WHOLE.fullmatch(value) if isinstance(value, str) and len(value) <= _SHOWN else None
    return int(found[1]) if found else None


def _show(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "a JSON object"
    plain = isinstance(value, str | int | float)
    shown = clean(repr(value)) if plain else f"a {type(value).__name__}"
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"


def asks(text: str) -> bool:
    """Whether a text ends as a question, also in Chinese or Japanese."""
    return text.rstrip().endswith(("?", "\uff1f"))


def is_name(value: Any) -> bool:
    """Whether a value may be an id or a name, and no time."""
    named = isinstance(value, str | int) and not isinstance(value, bool)
    return named and " " not in str(value) and moment_of(value) is None
