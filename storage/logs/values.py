"""Read the values of log fields as ids, numbers, times and texts, or say why they cannot be read."""

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_INT32 = 1 << 31
_SHOWN = 60
_LATEST_SECONDS = 1e11
"""The year 5138; a greater number counts smaller units."""
_BASIC_DATE = 8


class FieldError(ValueError):
    """The fields of a row make no turn; the message is a sentence for the rejects table."""


def wrong(name: str, value: object, wanted: str) -> FieldError:
    """Return the error of a field of the wrong type."""
    return FieldError(f"Field {name!r} is {_show(value)}, not {wanted}.")


def clean(text: str) -> str:
    """Return the text with U+FFFD for lone surrogates, which no UTF-8 file can hold."""
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
    if is_missing(value):
        return None
    number = _whole(value)
    if number is None or not -_INT32 <= number < _INT32:
        raise wrong(name, value, "a whole number" if number is None else "a 32-bit number")
    return number


def read_time(name: str, value: object) -> datetime | None:
    """Read a time in UTC from ISO 8601 text, seconds since 1970, or a date; no zone means UTC.

    Raises:
        FieldError: it has another form.
    """
    if is_missing(value):
        return None
    try:
        moment = _moment(value)
    except (ValueError, OverflowError, OSError):
        moment = None
    if moment is None:
        raise wrong(name, value, "a time (ISO 8601, or seconds since 1970)")
    return moment


def read_texts(name: str, value: object, *, tabular: bool, objects: bool = False) -> list[str]:
    """Read the texts that are not blank from a text, a list of texts or (in CSV) a JSON list.

    Args:
        name: the field.
        value: its value.
        tabular: whether a text may be a JSON list.
        objects: whether an item may be an object with a ``text`` or ``content``.

    Raises:
        FieldError: it has another form.
    """
    if is_missing(value):
        return []
    if tabular:
        value = listed(value, objects=objects)
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise wrong(name, value, "a text or a list of texts")
    texts = []
    for item in value:
        text = passage_text(item) if objects and isinstance(item, Mapping) else item
        if is_missing(text):
            continue
        if not isinstance(text, str):
            raise wrong(name, value, "a list of texts")
        texts.append(clean(text))
    return texts


def listed(value: object, *, objects: bool) -> Any:
    """Return the list of texts (or objects) in a cell of JSON; any other value unchanged."""
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value
    kinds = str | dict if objects else str
    fits = isinstance(found, list) and all(isinstance(item, kinds) for item in found)
    return found if fits else value


TEXT_FIELDS = ("text", "content")
"""Fields that hold the text of a passage or an utterance that is an object."""


def passage_text(item: Mapping[str, Any]) -> Any:
    """Return the text of a passage that is an object; the object itself if it has no text."""
    return next((item[name] for name in TEXT_FIELDS if name in item), item)


def to_json(fields: Mapping[str, Any]) -> str:
    """Return fields of a log as the text of one JSON object, in their order; NaN becomes null.

    Raises:
        FieldError: they are nested too deeply.
    """
    try:
        return json.dumps(_plain(fields), ensure_ascii=False, allow_nan=False)
    except (RecursionError, ValueError) as error:
        raise FieldError("The row is nested too deeply to be kept.") from error


def _plain(value: Any) -> Any:
    result: Any
    if isinstance(value, Mapping):
        result = {clean(str(key)): _plain(item) for key, item in value.items()}
    elif isinstance(value, list | tuple):
        result = [_plain(item) for item in value]
    elif isinstance(value, float):
        result = value if math.isfinite(value) else None
    elif value is None or isinstance(value, bool | int):
        result = value
    elif isinstance(value, bytes):
        result = value.decode("utf-8", "replace")
    else:
        result = clean(value.isoformat() if isinstance(value, date | time) else str(value))
    return result


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float | Decimal):
        return int(value) if math.isfinite(value) and value == int(value) else None
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value.strip())
        # Data frames write whole numbers beside gaps as 3.0.
        if match and not (match[1] or "").strip(".0") and len(value) <= _SHOWN:
            return int(value.strip().removesuffix(match[1] or ""))
    return None


def _moment(value: object) -> datetime | None:
    if isinstance(value, str):
        moment = _time_of_text(value.strip())
    elif isinstance(value, datetime):
        moment = value
    elif isinstance(value, date):
        moment = datetime.combine(value, time())
    elif isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        moment = _since_1970(float(value))
    else:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _since_1970(number: float) -> datetime:
    """Return a time from seconds, or from milli-, micro- or nanoseconds, recognised by their size."""
    for _ in range(3):
        if abs(number) >= _LATEST_SECONDS:
            number /= 1000
    return datetime.fromtimestamp(number, UTC)


def _time_of_text(text: str) -> datetime:
    # 20240501 is a date in ISO 8601; other bare numbers are seconds, though some would parse.
    if _NUMBER.fullmatch(text) and len(text) != _BASIC_DATE:
        return _since_1970(float(text))
    return datetime.fromisoformat(text)


def _show(value: object) -> str:
    if value is None:
        return "null"
    shown = clean(repr(value)) if isinstance(value, str | int | float) else f"a {_kind(value)}"
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"


def _kind(value: object) -> str:
    if isinstance(value, Mapping):
        return "JSON object"
    return type(value).__name__
