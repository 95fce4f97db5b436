"""Rows of an unknown log that belong to one conversation or to another row, and who speaks in it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from statistics import mean
from typing import Any

from qsquared.storage.logs.fields.field_paths import grouped, value_at
from qsquared.storage.logs.fields.reshaped import names_in
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.fields.values import asks, is_name
from qsquared.storage.logs.format_engines.units import ABSENT_ROLE
from qsquared.storage.logs.surveys.columns.described import ID_LIKE, beside
from qsquared.storage.logs.surveys.columns.texts import share_of
from qsquared.storage.logs.surveys.columns.values import Column, NumberedUnits, columns_of
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")
_HALF, _NEARLY = 0.5, 0.8
_LEAST_UNITS, _MOST_ROLES = 4, 12
_LEAST_SAID = 3
"""The messages of a conversation, if it is known by a name alone that repeats."""
_LEAST_SPACES = 5
_DIGITS = 3
_DIGIT = re.compile(r"\d")
_ID_ENDS, _SHORT = re.compile(r"[_-]?ids?\Z"), 2
_LEAST_NAMED = 2
"""The different ids by which two lists must refer to each other."""
_MOST_FALLS = 0.2
"""The share of times before those that stand before them which units in an order, either way, may have."""
_MOST_LED = 0.6
"""The share of the references that lead to an object."""
_COUNT = re.compile(r"-?\d+(?:\.\d+)?")
_LABELLED = re.compile(r"([^\d\n]{1,40})[:=：]\s*\d+")  # noqa: RUF001 - a colon of Chinese texts
_NAME = re.compile(r"(?=.*\d)(?=.*[\W_a-zA-Z]).{4,}|\d{4,}")
"""A name with letters and a number, or a long number."""


def by_conversation(
    path: str, held: NumberedUnits, request: str = ""
) -> tuple[NumberedUnits, dict[str, list[str]]]:
    """Return units with those of a conversation together, in the order of their times, and the paths of both.

    No path is returned for what the order of the units tells anyway; ``request`` is the path of their names,
    if it is known.
    """
    units = [unit for _, unit in held]
    made = columns_of(units)
    near = beside(made)
    group = [request] if request else near.get("conversation_id", [])
    # A table of a database is one list of the messages of all conversations.
    if not group and (not path or len({number for number, _ in held}) == 1):
        group = _repeated_names(made)
    names = [str(value_at(unit, group[0])) if group else "" for unit in units]
    lists = {(number if path else 0, name) for (number, _), name in zip(held, names, strict=True)}
    raw = [value_at(unit, one) for one in near.get("timestamp", ()) for unit in units]
    times = list(map(moment_of, raw))
    whole = len(lists) == len({number for number, _ in lists})
    if whole and not (len(lists) == 1 and _are_jumbled(times, made)):
        return held, {"conversation_id": group} if group and not path else {}
    first = {name: place for place, name in reversed(list(enumerate(names)))}
    untimed = Counter(name for name, time in zip(names, times, strict=False) if time is None)
    found = sorted(range(len(units)), key=lambda n: first[names[n]])
    stated = {"conversation_id": group} if group else {}
    # What tells of a conversation as a whole may have no time, and comes first.
    whole = max(untimed.values(), default=0) <= 1
    kinds = {type(one) for one, time in zip(raw, times, strict=True) if time is not None}
    if times and whole and len(kinds) == 1:
        known = [time is not None for time in times]
        order = sorted(found, key=lambda n: (first[names[n]], known[n], known[n] and times[n]))
        written = sorted(found, key=lambda n: (first[names[n]], known[n], known[n] and raw[n]))
        # Written as 19.11.2026, times are not in the order of their texts.
        if order != found and order == written:
            stated["order"] = near["timestamp"]
            found = order
    return [(first[names[n]], units[n]) for n in found], stated


def _are_jumbled(times: Sequence[Any], made: Mapping[str, Column]) -> bool:
    """Whether units have times that go up and down, as objects by their ids do, by which speakers alternate more."""
    falls = [a > b for a, b in pairwise(times)] if None not in times else []
    if len(falls) < _LEAST_UNITS or not _MOST_FALLS < share_of(falls) < 1 - _MOST_FALLS:
        return False
    order = sorted(range(len(times)), key=times.__getitem__)
    roles = [values for _, values in enumerated(made)]
    written, sorted_ = (
        max((share_of([a != b for a, b in pairwise(one)]) for one in several), default=0.0)
        for several in (roles, [[values[n] for n in order] for values in roles])
    )
    # Two clocks that differ part questions from their answers.
    return sorted_ > written


def _repeated_names(made: Mapping[str, Column]) -> list[str]:
    """Return the path of names that each stand in units by several speakers, of the fewest; empty if there are none."""
    found: dict[str, int] = {}
    for path, column in made.items():
        if "[]" in path or not column.all_fit(is_name):
            continue
        names = [str(one[0]) if one else "" for one in column.values]
        counted = Counter(filter(None, names))
        if (
            1 < len(counted) <= len(names) / _LEAST_SAID
            and share_of([count >= _LEAST_SAID for count in counted.values()]) >= _HALF
            and all(map(_NAME.fullmatch, counted))
            and any(_alternate(names, values) for _, values in enumerated(made))
        ):
            found[path] = len(counted)
    return [min(found, key=lambda path: found[path])] if found else []


def with_texts(made: Mapping[str, Column]) -> list[int]:
    """Return the numbers of the units that have a text; other events of a server tell nothing."""
    prose = [one.values for one in made.values() if one.is_prose]
    return [n for n, texts in enumerate(zip(*prose, strict=True)) if any(texts)]


def names_of_requests(made: Mapping[str, Column]) -> list[str]:
    """Return the paths of names that the events of a request share, those of the most requests first."""
    telling = with_texts(made)
    found: dict[str, int] = {}
    for path, column in made.items():
        names = [str(column.values[n][0]) for n in telling if column.values[n]]
        ranges = [len(names) - names[::-1].index(one) - names.index(one) for one in {*names}]
        if (
            "[]" not in path
            and column.is_single
            and len(names) >= _NEARLY * len(telling)
            and 1 < len(set(names)) <= _HALF * len(names)
            and all(is_name(name) and _DIGIT.search(name) for name in names)
            # Short ones, as the numbers of turns, begin again in each conversation.
            and (all(map(_NAME.fullmatch, names)) or mean(ranges) <= _HALF * len(names))
        ):
            found[path] = len(set(names))
    return sorted(found, key=lambda path: -found[path])


def interleave(values: Sequence[Any]) -> bool:
    """Whether values come again after others stood between them."""
    return len([*groupby(values)]) > len({*map(str, values)})


def _alternate(names: Sequence[str], values: Sequence[str]) -> bool:
    """Whether the values of a role change from unit to unit of each name."""
    said = grouped(zip(names, values, strict=True)).values()
    return all(mean(a != b for a, b in pairwise(held)) >= _HALF for held in said if held[1:])


def enumerated(made: Mapping[str, Column]) -> Iterator[tuple[str, list[str]]]:
    """Yield the columns that may tell who speaks, with the value of each unit; absence is a value, too."""
    for path, column in made.items():
        values = [str(one[0]) if one else ABSENT_ROLE for one in column.values]
        counted = Counter(values)
        if (
            "[]" not in path
            and len(values) >= _LEAST_UNITS
            and 2 <= len(counted) <= min(_MOST_ROLES, len(values) - 1)
            and counted.most_common(1)[0][1] <= 0.8 * len(values)
            and max(map(len, counted)) <= 60
            and not _are_counts(counted)
            and not (_counts_units(column) and _are_numbers(counted) and not _take_turns(values))
            and not _are_said(counted)
            and not (len(counted) > 2 and _counts_up(values))
            and not _refers(counted)
        ):
            yield path, values


def _are_counts(counted: Counter[str]) -> bool:
    """Whether values are numbers that differ nearly everywhere, as of tokens: who speaks does so again."""
    given = {value: count for value, count in counted.items() if value != ABSENT_ROLE}
    counts = all(map(_COUNT.fullmatch, given)) and 2 * len(given) > sum(given.values())
    # Milliseconds stand beside what the assistant says alone.
    measures = all(one.isdecimal() and len(one) >= _DIGITS for one in given)
    counts = counts or (measures and ABSENT_ROLE in counted)
    labels = {match[1] if (match := _LABELLED.fullmatch(value)) else "" for value in given}
    return counts or (len(labels) == 1 and "" not in labels)


def _counts_units(column: Column) -> bool:
    """Whether a column is named like what counts units, and not like who speaks."""
    name = column.name
    return _V["counting"].search(name) is not None and _V["speaking"].search(name) is None


def _take_turns(values: Sequence[str]) -> bool:
    """Whether two values stand in turns, as two speakers do."""
    return len(set(values)) == 2 and share_of([a != b for a, b in pairwise(values)]) >= _NEARLY


def _are_numbers(counted: Counter[str]) -> bool:
    return all(map(str.isdecimal, counted.keys() - {ABSENT_ROLE}))


def _are_said(counted: Counter[str]) -> bool:
    """Whether values are times, or texts that somebody says once: no names of speakers."""
    once = [value for value, count in counted.items() if count == 1 and " " in value]
    said = any(asks(value) or value.count(" ") >= _LEAST_SPACES for value in once)
    return said or any(moment_of(value) is not None for value in counted)


def _refers(counted: Counter[str]) -> bool:
    """Whether values are ids that some units refer to, and each of them another, rather than who speaks.

    The id of a call stands beside its result again.
    """
    given = [count for value, count in counted.items() if value != ABSENT_ROLE]
    most = max(given)
    return counted[ABSENT_ROLE] > 1 and (most == 1 < len(given) or most == 2 < len(given))


def _counts_up(values: Sequence[str]) -> bool:
    """Whether most values are the number after the one before, as the places of messages are."""
    numbers = [int(value) if value.isdecimal() else None for value in values]
    steps = [None not in (a, b) and b == (a or 0) + 1 for a, b in pairwise(numbers)]
    return sum(steps) > _HALF * len(steps)


def last_of_growing(column: Column) -> Column | None:
    """Return the last texts of lists that grow by one text with each unit of a conversation, else None.

    What was asked last is a unit's own question.
    """
    seen: set[tuple[Any, ...]] = {()}
    for held in column.values:
        if held and tuple(held[:-1]) not in seen:
            return None
        seen.add(tuple(held))
    if column.is_single or column.path.count("[]") != 1:
        return None
    return Column(column.path.replace("[]", "[-1]"), [held[-1:] for held in column.values])


def names_of_rows(made: Mapping[str, Column], *, listed: bool = False) -> list[Column]:
    """Return the columns of ids or names, also those of lists of ids if they may be listed."""
    plain = [one for path, one in made.items() if (listed or "[]" not in path) and any(one.values)]
    return [one for one in plain if all(map(_has_names, one.all_values))]


def _names_list(path: str, name: str) -> int:
    """Return how surely a field is named after a list, as ``article_id`` is after ``articles``: 2, 1, or 0 if not."""
    stem = _ID_ENDS.sub("", path.lower()).replace("_", "")
    whole = name.lower().replace("_", "").rstrip("s")
    words = [*name.lower().split("_"), whole]
    like = len(stem) > _SHORT and any(one.startswith(stem) or one.endswith(stem) for one in words)
    return int(like) + (like and whole == stem)


def leads_elsewhere(path: str, name: str, lists: Iterable[str]) -> bool:
    """Whether a field is named after another list rather than after this one."""
    own = _names_list(path, name)
    return any(_names_list(path, one) > own for one in lists)


def _has_names(value: Any) -> bool:
    return is_name(value) or (isinstance(value, str) and all(map(is_name, names_in(value))))


def refers_surely(key: Column, own: Column, rows: str, into: str) -> float:
    """Return how surely the values of a field are the ids that objects of another list have; 0 if they are not."""
    references, ids = (
        [name for value in c.all_values for name in names_in(value)] for c in (key, own)
    )
    named_by = set(ids)
    met = [one for one in references if one in named_by]
    unique = len(named_by) == len(ids) or len(set(references)) == len(references)
    alike = key.path.lower() == own.path.lower()
    named = ID_LIKE.search(key.path) and ID_LIKE.search(own.path)
    # A key often has the name of the list to which it leads; rows of each list are numbered anew.
    leads = _names_list(key.path, into) > 0 or _names_list(own.path, rows) > 0
    # Small numbers count many things, but in a list beside a key.
    listed = "[]" in own.path and ID_LIKE.search(key.path)
    telling = alike or named or leads or listed or not all(map(str.isdecimal, met))
    # An object may state the number of another one within itself, but not those of a list.
    counted = key.path.lower() == own.path.lower().rpartition("[].")[2] == "id"
    numbered = counted and _count_from_one(references) and _count_from_one(ids)
    if len(set(met)) < _LEAST_NAMED or numbered or not (unique and telling):
        return 0.0
    # A table may have many objects to which nothing refers.
    known = set(references)
    share = max(len(met) / len(references), share_of([one in known for one in ids]))
    if share < _MOST_LED:
        return 0.0
    return share + 0.75 * leads + (0.5 if alike and not counted else 0.0)


def _count_from_one(names: Sequence[str]) -> bool:
    """Whether names are the numbers of a table's rows, which say nothing of another table."""
    return {*names} == {str(n) for n in range(1, len(names) + 1)}
