"""Numbers as people write them: digits with separators, words, fractions, and scales."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

WORDS: dict[str, Any] = tomllib.loads(
    files(__package__ or "").joinpath("words.toml").read_text(encoding="utf-8")
)


def any_of(words: Iterable[str]) -> str:
    """Return a pattern of words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


_WORDS = {word: number for number, word in enumerate(WORDS["ones"].split())} | {
    word: 10 * number for number, word in enumerate(WORDS["tens"].split(), start=2)
}
_SCALES: dict[str, int] = WORDS["scales"]
_FRACTIONS: dict[str, int] = WORDS["fractions"]
_TIMES: dict[str, int] = WORDS["times"]
_DENOMINATORS = frozenset({2, 3, 4, 5, 8, 10, 16})

_DIGITS = re.compile(
    r"(?P<thousands>\d{1,3}(?:[, ']\d{3})+(?!\d)(?:\.\d+)?)"
    r"|(?P<dotted>\d{1,3}(?:(?:\.\d{3}){2,}(?![\d.])(?:,\d+)?|\.\d{3},\d+))"
    r"|\d+(?:[.,]\d+)?"
)
"""Thousands set apart by commas, spaces or apostrophes; by full stops; plain digits with decimals."""
_EITHER = re.compile(r"[1-9]\d{0,2}\.\d{3}")
"""Thousands in half of Europe, three decimals elsewhere."""
_ANY_WORD = any_of([*_WORDS, "hundred", "dozen", "thousand", "million", "billion"])
_FIRST_WORD = re.compile(rf"(?:an?\s+(?=hundred|dozen|thousand|million|billion))?(?:{_ANY_WORD})\b")
_NEXT_WORD = re.compile(rf"(?:\s+and\s+|[\s-]+)(?:{_ANY_WORD})\b")
"""Any number of these follow the first word of a number (`_from_words`)."""
_TIMES_WORD = re.compile(rf"({any_of(_TIMES)})(?=$|\s+(?:an?|per|each|every)\b)")
"""A number of times; "once the door is open" is no number."""
_SCALE = re.compile(rf"(?:\s*|-)({any_of(_SCALES)})s?(?![a-z0-9])")
_FRACTION = re.compile(r"(\d{1,2})\s?/\s?(\d{1,2})(?![\d/])")
_MIXED = re.compile(r"\s+(?:and\s+)?(?:(\d)/(\d{1,2})(?![\d/])|(?:an?\s+)?(half|quarter)\b)")
_FRACTION_WORDS = re.compile(
    rf"(?:(an?|one|two|three|four)[\s-]+)?({any_of(_FRACTIONS)})\b(?:\s+of)?"
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number that was read: its value, the place of its last digit, and where it ends.

    ``share`` tells a fraction, as "a third", which may stand for a percentage, and ``either`` that a
    thousand times as much may be meant, as by "1.000".
    """

    value: float
    step: float
    end: int
    share: bool = False
    either: bool = False


def read_number(text: str, start: int) -> Number | None:
    """Return the number that begins at a place of a lower-case text; None if there is none."""
    numbers = (read(text, start) for read in (_fraction, _from_digits, _times, _from_words))
    return next((number for number in numbers if number is not None), None)


def _fraction(text: str, start: int) -> Number | None:
    match = _FRACTION.match(text, start)
    if match and 0 < int(match[1]) < int(match[2]) and int(match[2]) in _DENOMINATORS:
        return Number(int(match[1]) / int(match[2]), 0.01, match.end(), share=True)
    match = _FRACTION_WORDS.match(text, start)
    if match is None or (match[1] is None and match[2] not in {"half", "quarter"}):
        return None
    many = _WORDS.get(match[1] or "one", 1)
    if many == 1 and match[2].endswith("s"):
        return None
    return _scaled(text, Number(many / _FRACTIONS[match[2]], 0.01, match.end(), share=True))


def _from_digits(text: str, start: int) -> Number | None:
    match = _DIGITS.match(text, start)
    if match is None:
        return None
    written = match[0]
    # "4,1" has a decimal comma, "4,100" thousands.
    if match["thousands"]:
        plain = re.sub("[, ']", "", written)
    else:
        plain = (written.replace(".", "") if match["dotted"] else written).replace(",", ".")
    if len(plain) > 1 and plain.startswith("0") and "." not in plain:
        return None  # a code or a telephone number
    decimals = len(plain.partition(".")[2])
    either = _EITHER.fullmatch(written) is not None
    number = Number(float(plain), 10.0**-decimals, match.end(), either=either)
    return _scaled(text, _with_fraction(text, number))


def _times(text: str, start: int) -> Number | None:
    match = _TIMES_WORD.match(text, start)
    return Number(_TIMES[match[1]], 1.0, match.end()) if match else None


def _from_words(text: str, start: int) -> Number | None:
    match = _FIRST_WORD.match(text, start)
    if match is None:
        return None
    while match:
        end = match.end()
        match = _NEXT_WORD.match(text, end)
    words = [word for word in re.split(r"[\s-]+", text[start:end]) if word not in {"a", "an"}]
    value = _value_of(words)
    if value is None or (words == ["one"] and text.startswith(" of", end)):
        return None
    step = _SCALES[words[-1]] if words[-1] in {"million", "billion"} else 1.0
    number = Number(value, step, end)
    return _scaled(text, _with_fraction(text, number))


def _value_of(words: list[str]) -> float | None:
    """Return the number that some words make; None if they make none, as "two three"."""
    total, part, last = 0.0, 0.0, "start"
    for word in words:
        if word == "and":
            if last != "scale":
                return None
            continue
        if word in _WORDS:
            value = _WORDS[word]
            kind = "ten" if value >= 20 else "one"
            if last in (kind, "one") or (last == "ten" and not 0 < value < 10):
                return None
            part, last = part + value, kind
        elif _SCALES[word] <= 100:
            part, last = max(part, 1.0) * _SCALES[word], "scale"
        else:
            total, part, last = total + max(part, 1.0) * _SCALES[word], 0.0, "scale"
    return total + part


def _with_fraction(text: str, number: Number) -> Number:
    """Return the number with a fraction after it, as "2 1/2" or "two and a half"."""
    match = _MIXED.match(text, number.end)
    if match is None or number.value != int(number.value):
        return number
    more = 0.0
    if match[1]:
        more = int(match[1]) / int(match[2]) if 0 < int(match[1]) < int(match[2]) else more
    elif "and" in match[0] or match[3] == "half":
        more = 1 / _FRACTIONS[match[3]]
    return Number(number.value + more, 0.1, match.end()) if more else number


def _scaled(text: str, number: Number) -> Number:
    match = _SCALE.match(text, number.end)
    if match is None or (match[1] == "k" and match[0] != "k"):
        return number
    scale = _SCALES[match[1]]
    # "Two hundred" and "2 thousand" are rarely rounded, millions are.
    step = number.step * scale if scale >= 1e5 else min(1.0, number.step * scale)
    return replace(number, value=number.value * scale, step=step, end=match.end())
