"""Templates of the records of a server's log, by the words that the records of one event have alike.

A template has names in braces in place of what differs; by it a record is read as a row with these fields.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from qsquared.storage.logs.file_types.log_lines import TEXT, TIME

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::[\d.,]+)?(?:Z| ?[+-]\d\d:?\d\d)?(?=[\s\])])")
_TIME_MARK = "\0"
"""A stand-in for the time of a record while its words are looked at."""
_TOKEN = re.compile(r'[^\s"]+="(?:[^"\\]|\\.)*"\S*|\S+')
_PAIR = re.compile(r'([A-Za-z_]\w*)=(")?(?:[^"\\]|\\.)*(?(2)"|\Z)')
_LISTED = re.compile(r'([A-Za-z_]\w*)=(?:\["|\[\{|\{")')
"""The beginning of a list or of an object, which goes on to the end of the line."""
_NAMED_PAIR = re.compile(r'(\w+)="?\{\w+\}"?')
_VARIES = re.compile(r"[\w.:+#/-]*\d(?:[\w.:+#/-]*\w)?")
"""The part of a word that has a digit: an id, a number, a path."""
_WORD = re.compile(r"[^\W\d_]+:?")
_LEVELS = re.compile(r"[A-Z]{3,9}:?")
_LEAST_RECORDS = 3
"""The fewest records of an event."""
_Tokens = tuple[str, ...]


def templates_of(records: Sequence[str]) -> dict[str, str]:
    """Return the templates of up to 20 events of which a log has several records, by the names of the events.

    Records of an event are alike up to where their texts begin, of which nearly each goes on otherwise.
    """
    lines = [_tokens(record.partition("\n")[0]) for record in records]
    following: dict[_Tokens, Counter[str]] = defaultdict(Counter)
    for tokens in lines:
        for place in range(len(tokens) + 1):
            following[tokens[:place]][tokens[place] if place < len(tokens) else ""] += 1
    events: dict[_Tokens, list[int]] = defaultdict(list)
    for number, tokens in enumerate(lines):
        if alike := _alike(tokens, following):
            events[alike].append(number)
    templates: dict[str, str] = {}
    # Of two templates the longer one says more.
    for alike, numbers in sorted(events.items(), key=lambda event: -len(event[0])):
        further_lines = any("\n" in records[number] for number in numbers)
        longer = [lines[number] != alike for number in numbers]
        template = _template(alike, text=further_lines or any(longer), of_pair=all(longer))
        if len(numbers) >= _LEAST_RECORDS and "{" in template and len(templates) < 20:
            name = _name(alike)
            again = sum(other.rstrip("0123456789 ") == name for other in templates)
            templates[f"{name} {again + 1}" if again else name] = template
    return templates


def _alike(tokens: _Tokens, following: Mapping[_Tokens, Counter[str]]) -> _Tokens:
    """Return what a record has alike with others of its event, empty if there are too few of these."""
    for place in range(len(tokens) + 1):
        after = following[tokens[:place]]
        if after.total() < _LEAST_RECORDS:
            return ()
        # Where half of the records go on otherwise, their texts begin.
        if place == len(tokens) or len(after) > 0.5 * after.total():
            return tokens[:place]
    return ()


def _template(alike: _Tokens, *, text: bool, of_pair: bool) -> str:
    """Return the template of what records have alike, with their text at its end.

    The last pair may have it as its value (``of_pair``).
    """
    line, last = " ".join(alike), _NAMED_PAIR.fullmatch(alike[-1].replace('"', ""))
    if not text or f"{{{TEXT}}}" in line:
        return line
    if last and of_pair:
        return f"{line.removesuffix(alike[-1])}{last[1]}={{{TEXT}}}"
    return f"{line} {{{TEXT}}}"


def _tokens(line: str) -> _Tokens:
    """Return the first 60 words of a line, with names in braces for what differs: values of pairs, and numbers.

    The time stands in the first 80 characters.
    """
    words = _TOKEN.findall(_TIME.sub(_TIME_MARK, line[:80], count=1) + line[80:])
    tokens: list[str] = []
    for place, word in enumerate(words[:60]):
        if listed := _LISTED.match(word):
            return (*tokens, f"{listed[1]}={{{TEXT}}}")
        tokens.append(_token(word, place))
    return tuple(tokens)


def _token(word: str, place: int) -> str:
    """Return a word with names in braces for what differs: the value of a pair, each number, or a very long word."""
    if pair := _PAIR.fullmatch(word):
        quote = pair[2] or ""
        return f"{pair[1]}={quote}{{{pair[1]}}}{quote}"
    if len(word) > 200:
        return "{}"
    letters = iter("abcdefghij")
    token = _VARIES.sub(lambda _: f"{{w{place}{next(letters, 'z')}}}", word)
    return token.replace(_TIME_MARK, f"{{{TIME}}}")


def _name(alike: _Tokens) -> str:
    """Return the name of an event: the last three words that its records have, else that of its last pair or logger."""
    words = [one.strip(":") for one in alike if _WORD.fullmatch(one) and not _LEVELS.fullmatch(one)]
    pair = _NAMED_PAIR.match(alike[-1])
    logger = next((one for one in reversed(alike) if "." in one and "{" not in one), "")
    named = pair[1] if pair else re.split(r"\W+", logger.strip("[]:"))[-1]
    return " ".join(words[-3:]) or named or "line"
