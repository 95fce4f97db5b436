"""Templates of the records of a server's log, by what the records of one event have alike."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from qsquared.storage.logs.file_types.log_lines import TEXT, TIME

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::[\d.,]+)?(?:Z| ?[+-]\d\d:?\d\d)?(?=[\s\])])")
_MARK = "\0"
"""A stand-in for the time of a record while its words are looked at."""
_LONGEST_BEGIN = 80
_TOKEN = re.compile(r'[^\s"]+="(?:[^"\\]|\\.)*"\S*|\S+')
_PAIR = re.compile(r'([A-Za-z_]\w*)=(")?(?:[^"\\]|\\.)*(?(2)"|\Z)')
_LISTED = re.compile(r'([A-Za-z_]\w*)=(?:\["|\[\{|\{")')
"""The beginning of a list or of an object, which goes on to the end of the line."""
_TOLD_PAIR = re.compile(r'(\w+)="?\{\w+\}"?')
_VARIES = re.compile(r"[\w.:+#/-]*\d(?:[\w.:+#/-]*\w)?")
"""The part of a word that has a digit: an id, a number, a path."""
_LONG_WORD = 200
_WORD = re.compile(r"[^\W\d_]+:?")
_LEVELS = re.compile(r"[A-Z]{3,9}:?")
_LEAST, _MOST = 3, 0.5
"""The fewest records of an event, and the share of these from which on their words differ since they are texts."""
_MOST_TOKENS, _MOST_TEMPLATES = 60, 20
_NAMED_BY = 3
_Tokens = tuple[str, ...]


def templates_of(records: Sequence[str]) -> dict[str, str]:
    """Return the templates of the events of which a log has several records, by their names.

    Records of an event are alike up to where their texts begin, of which nearly each goes on otherwise.
    """
    cut = [_tokens(record.partition("\n")[0]) for record in records]
    following: dict[_Tokens, Counter[str]] = defaultdict(Counter)
    for tokens in cut:
        for place in range(len(tokens) + 1):
            following[tokens[:place]][tokens[place] if place < len(tokens) else ""] += 1
    events: dict[_Tokens, list[int]] = defaultdict(list)
    for number, tokens in enumerate(cut):
        if alike := _alike(tokens, following):
            events[alike].append(number)
    made: dict[str, str] = {}
    # Of two templates the longer one says more.
    for alike, numbers in sorted(events.items(), key=lambda one: -len(one[0])):
        below = any("\n" in records[n] for n in numbers)
        beside = any(cut[n] != alike for n in numbers)
        line = _line(alike, text=below or beside, of_pair=alike not in [cut[n] for n in numbers])
        if len(numbers) >= _LEAST and "{" in line and len(made) < _MOST_TEMPLATES:
            name = _name(alike)
            again = sum(one.rstrip("0123456789 ") == name for one in made)
            made[f"{name} {again + 1}" if again else name] = line
    return made


def _alike(tokens: _Tokens, following: Mapping[_Tokens, Counter[str]]) -> _Tokens:
    """Return what a record has alike with others of its event, empty if there are too few of these."""
    for place in range(len(tokens) + 1):
        after = following[tokens[:place]]
        if after.total() < _LEAST:
            return ()
        if place == len(tokens) or len(after) > _MOST * after.total():
            return tokens[:place]
    return ()


def _line(alike: _Tokens, *, text: bool, of_pair: bool) -> str:
    """Return the template of what records have alike, with their text at its end.

    The last pair may have it as its value (``of_pair``).
    """
    line, last = " ".join(alike), _TOLD_PAIR.fullmatch(alike[-1].replace('"', ""))
    if not text or f"{{{TEXT}}}" in line:
        return line
    if last and of_pair:
        return f"{line.removesuffix(alike[-1])}{last[1]}={{{TEXT}}}"
    return f"{line} {{{TEXT}}}"


def _tokens(line: str) -> _Tokens:
    """Return the words of a line, with names in braces in place of what differs: values of pairs, and numbers."""
    begin = _TIME.sub(_MARK, line[:_LONGEST_BEGIN], count=1)
    words = _TOKEN.findall(begin + line[_LONGEST_BEGIN:])
    told: list[str] = []
    for place, word in enumerate(words[:_MOST_TOKENS]):
        if listed := _LISTED.match(word):
            return (*told, f"{listed[1]}={{{TEXT}}}")
        told.append(_told(word, place))
    return tuple(told)


def _told(word: str, place: int) -> str:
    if pair := _PAIR.fullmatch(word):
        quote = pair[2] or ""
        return f"{pair[1]}={quote}{{{pair[1]}}}{quote}"
    if len(word) > _LONG_WORD:
        return "{}"
    count = iter("abcdefghij")
    told = _VARIES.sub(lambda _: f"{{w{place}{next(count, 'z')}}}", word)
    return told.replace(_MARK, f"{{{TIME}}}")


def _name(alike: _Tokens) -> str:
    """Return the name of an event: the last words that all of its records have, else of its last pair or logger."""
    words = [one.strip(":") for one in alike if _WORD.fullmatch(one) and not _LEVELS.fullmatch(one)]
    pair = _TOLD_PAIR.match(alike[-1])
    logger = next((one for one in reversed(alike) if "." in one and "{" not in one), "")
    named = pair[1] if pair else re.split(r"\W+", logger.strip("[]:"))[-1]
    return " ".join(words[-_NAMED_BY:]) or named or "line"
