"""Units that belong together, by the values of their columns: one conversation, one request, or ids that refer.

Before messages are proposed, `by_conversation` puts those of a conversation together, and `role_columns` finds the
columns that may tell who speaks; `refers_surely` finds the lists whose objects belong to those of another list.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import mean
from typing import Any

from qsquared.storage.logs.fields.field_paths import grouped, value_at
from qsquared.storage.logs.fields.reshaped import names_in
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.fields.values import asks, is_name
from qsquared.storage.logs.format_engines.units import ABSENT_ROLE
from qsquared.storage.logs.surveys.columns.described import ID_LIKE, ids_and_times
from qsquared.storage.logs.surveys.columns.texts import share_of
from qsquared.storage.logs.surveys.columns.values import Column, NumberedUnits, columns_of
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("survey")
_LEAST_UNITS = 4
"""Of fewer units no column tells who speaks, and times no order."""
_LEAST_MESSAGES = 3
"""The messages of a conversation, if it is known by a name alone that repeats."""
_ID_END = re.compile(r"[_-]?ids?\Z")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_LABELLED = re.compile(r"([^\d\n]{1,40})[:=：]\s*\d+")  # noqa: RUF001 - a colon of Chinese texts
_LONG_NAME = re.compile(r"(?=.*\d)(?=.*[\W_a-zA-Z]).{4,}|\d{4,}")
"""A name with letters and a number, or a long number: it is not given anew in each conversation."""


def by_conversation(
    path: str, numbered: NumberedUnits, request: str = ""
) -> tuple[NumberedUnits, dict[str, list[str]]]:
    """Return the units of each conversation together, in the order of their times, with the paths that tell so.

    Units stay as they are if the lists that hold them are conversations, and are not jumbled.

    Args:
        path: the path of the list of the units.
        numbered: the units, each with the number of its row or list; it is that of its conversation afterwards.
        request: the path of the names of requests, if these are the conversations.
    """
    units = [unit for _, unit in numbered]
    columns = columns_of(units)
    found = ids_and_times(columns)
    group = [request] if request else found.get("conversation_id", [])
    # A table of a database is one list of the messages of all conversations.
    if not group and (not path or len({number for number, _ in numbered}) == 1):
        group = _repeated_names(columns)
    names = [str(value_at(unit, group[0])) if group else "" for unit in units]
    conversations = {*zip((number if path else 0 for number, _ in numbered), names, strict=True)}
    lists = {number for number, _ in conversations}
    timestamp = found.get("timestamp", [])
    written = [value_at(unit, timestamp[0]) for unit in units] if timestamp else []
    stated = {"conversation_id": group} if group else {}
    jumbled = len(conversations) == 1 and _are_jumbled(list(map(moment_of, written)), columns)
    if len(conversations) == len(lists) and not jumbled:
        return numbered, {} if path else stated
    first = {name: place for place, name in reversed(list(enumerate(names)))}
    firsts = [first[name] for name in names]
    places = sorted(range(len(units)), key=firsts.__getitem__)
    in_time = _in_order_of_times(firsts, written)
    if in_time and in_time != places:
        stated["order"], places = timestamp, in_time
    return [(firsts[place], units[place]) for place in places], stated


def _in_order_of_times(conversations: Sequence[int], written: Sequence[Any]) -> list[int]:
    """Return the places of units by their conversations and times; empty if their times give no order.

    What tells of a conversation as a whole may have no time, and comes first.
    """
    times = list(map(moment_of, written))
    timed = [place for place, time in enumerate(times) if time is not None]
    untimed = Counter(conversations[place] for place, time in enumerate(times) if time is None)
    if max(untimed.values(), default=0) > 1 or len({type(written[place]) for place in timed}) != 1:
        return []

    def ordered_by(values: Sequence[Any]) -> list[int]:
        known = [time is not None for time in times]
        keys = [*zip(conversations, known, values, strict=True)]
        return sorted(range(len(times)), key=lambda n: keys[n] if known[n] else keys[n][:2])

    order = ordered_by(times)
    # Written as 19.11.2026, times are not in the order of their texts, by which a description sorts.
    return order if order == ordered_by(written) else []


def _are_jumbled(times: Sequence[Any], columns: Mapping[str, Column]) -> bool:
    """Whether the times of units go up and down, as those of objects by their ids, and order makes speakers alternate.

    Two clocks that differ part questions from their answers.
    """
    falls = [earlier > later for earlier, later in pairwise(times)] if None not in times else []
    # Units in an order, either way, may have some times out of it.
    if len(falls) < _LEAST_UNITS or not 0.2 < share_of(falls) < 0.8:
        return False
    order = sorted(range(len(times)), key=times.__getitem__)
    roles = [values for _, values in role_columns(columns)]
    as_they_are = max(map(_share_changing, roles), default=0.0)
    in_order = ([values[place] for place in order] for values in roles)
    return max(map(_share_changing, in_order), default=0.0) > as_they_are


def _share_changing(values: Sequence[str]) -> float:
    """Return the share of values that differ from the one before."""
    return share_of([before != value for before, value in pairwise(values)])


def _repeated_names(columns: Mapping[str, Column]) -> list[str]:
    """Return the path of the fewest long names that each stand in units of several speakers; empty if none do."""
    found: dict[str, int] = {}
    for path, column in columns.items():
        if "[]" in path or not column.all_fit(is_name):
            continue
        names = [str(values[0]) if values else "" for values in column.values]
        counts = Counter(filter(None, names))
        if (
            1 < len(counts) <= len(names) / _LEAST_MESSAGES
            and share_of([count >= _LEAST_MESSAGES for count in counts.values()]) >= 0.5
            and all(map(_LONG_NAME.fullmatch, counts))
            and any(_alternate(names, values) for _, values in role_columns(columns))
        ):
            found[path] = len(counts)
    return sorted(found, key=found.__getitem__)[:1]


def _alternate(names: Sequence[str], values: Sequence[str]) -> bool:
    """Whether the values of a role change from unit to unit of each name."""
    said = grouped(zip(names, values, strict=True)).values()
    return all(_share_changing(of_name) >= 0.5 for of_name in said if len(of_name) > 1)


def with_texts(columns: Mapping[str, Column]) -> list[int]:
    """Return the numbers of the units that have a text; other events of a server tell nothing."""
    prose = [column.values for column in columns.values() if column.is_prose]
    return [number for number, texts in enumerate(zip(*prose, strict=True)) if any(texts)]


def names_of_requests(columns: Mapping[str, Column]) -> list[str]:
    """Return the paths of names that the events of a request share, those of the most requests first."""
    telling = with_texts(columns)
    found: dict[str, int] = {}
    for path, column in columns.items():
        names = [str(column.values[place][0]) for place in telling if column.values[place]]
        different = {*names}
        if (
            "[]" not in path
            and column.is_single
            and len(names) >= 0.8 * len(telling)
            and 1 < len(different) <= 0.5 * len(names)
            and all(is_name(name) and any(map(str.isdigit, name)) for name in names)
            and (all(map(_LONG_NAME.fullmatch, names)) or _stand_together(names))
        ):
            found[path] = len(different)
    return sorted(found, key=lambda path: -found[path])


def _stand_together(names: Sequence[str]) -> bool:
    """Whether the same names stand near each other; the numbers of turns begin again in each conversation."""
    last = {name: place for place, name in enumerate(names)}
    return mean(last[name] - names.index(name) + 1 for name in last) <= 0.5 * len(names)


def role_columns(columns: Mapping[str, Column]) -> Iterator[tuple[str, list[str]]]:
    """Yield the paths of columns that may tell who speaks, each with the value of every unit; absence is a value, too.

    Such a column has few different short values, which neither count nor measure, name or refer to units.
    """
    for path, column in columns.items():
        values = [str(values[0]) if values else ABSENT_ROLE for values in column.values]
        counts = Counter(values)
        if (
            "[]" not in path
            and len(values) >= _LEAST_UNITS
            and 2 <= len(counts) <= min(12, len(values) - 1)
            and counts.most_common(1)[0][1] <= 0.8 * len(values)
            and max(map(len, counts)) <= 60
            and not _are_measures(counts)
            and not _count_units(column, values)
            and not _are_said(counts)
            and not (len(counts) > 2 and _count_up(values))
            and not _refer(counts)
        ):
            yield path, values


def _are_measures(counts: Counter[str]) -> bool:
    """Whether values are fractions, numbers that differ nearly everywhere, or long ones of some units alone.

    Who speaks does so again; milliseconds stand beside what the assistant says.
    """
    given = {value: count for value, count in counts.items() if value != ABSENT_ROLE}
    measured = all("." in value for value in given) or 2 * len(given) > sum(given.values())
    differ = all(map(_NUMBER.fullmatch, given)) and measured
    of_some = ABSENT_ROLE in counts and all(one.isdecimal() and len(one) >= 3 for one in given)
    labels = {match[1] if (match := _LABELLED.fullmatch(value)) else "" for value in given}
    return differ or of_some or (len(labels) == 1 and "" not in labels)


def _count_units(column: Column, values: Sequence[str]) -> bool:
    """Whether numbers are named like what counts units, and do not alternate, as two speakers do."""
    named = _V["counting"].search(column.name) and not _V["speaking"].search(column.name)
    numbers = all(map(str.isdecimal, {*values} - {ABSENT_ROLE}))
    alternate = len({*values}) == 2 and _share_changing(values) >= 0.8
    return bool(named) and numbers and not alternate


def _are_said(counts: Counter[str]) -> bool:
    """Whether values are times, or some are texts that somebody says once: no names of speakers."""
    once = [value for value, count in counts.items() if count == 1 and " " in value]
    said = any(asks(value) or value.count(" ") >= 5 for value in once)
    return said or any(moment_of(value) is not None for value in counts)


def _refer(counts: Counter[str]) -> bool:
    """Whether values are ids of which each stands in one unit, or in two, and in several units none.

    So a message refers to another, and the result of a call to the call; who speaks does so more often.
    """
    given = [count for value, count in counts.items() if value != ABSENT_ROLE]
    return counts[ABSENT_ROLE] > 1 and max(given) <= 2 and max(given) < len(given)


def _count_up(values: Sequence[str]) -> bool:
    """Whether most values are the number after the one before, as the places of messages are."""
    numbers = [int(value) if value.isdecimal() else None for value in values]
    steps = [before is not None and number == before + 1 for before, number in pairwise(numbers)]
    return sum(steps) > 0.5 * len(steps)


def names_of_rows(columns: Mapping[str, Column], *, listed: bool = False) -> list[Column]:
    """Return the columns of ids or names, also those in lists within the units if they may be ``listed``."""
    given = [column for column in columns.values() if any(column.values)]
    plain = [column for column in given if listed or "[]" not in column.path]
    return [column for column in plain if all(map(_has_names, column.all_values))]


def _has_names(value: Any) -> bool:
    """Whether a value is a name, or lists several."""
    return is_name(value) or (isinstance(value, str) and all(map(is_name, names_in(value))))


def _named_after(path: str, name: str) -> int:
    """Return how surely a field is named after a list, as ``article_id`` is after ``articles``: 2, 1, or 0 if not."""
    stem = _ID_END.sub("", path.lower()).replace("_", "")
    whole = name.lower().replace("_", "").rstrip("s")
    if len(stem) > 2 and stem == whole:
        return 2
    words = [*name.lower().split("_"), whole]
    ends = any(word.startswith(stem) or word.endswith(stem) for word in words)
    return int(len(stem) > 2 and ends)


def leads_elsewhere(path: str, name: str, lists: Iterable[str]) -> bool:
    """Whether a field is named after another list rather than after this one."""
    return any(_named_after(path, other) > _named_after(path, name) for other in lists)


def refers_surely(key: Column, ids: Column, rows: str, into: str) -> float:
    """Return how surely the values of a key are the ids that the objects of another list have; 0 if they are not.

    Args:
        key: a column of a list.
        ids: a column of the other list.
        rows: the path of the list with the key.
        into: the path of the other list.
    """
    references, names = (
        [name for value in column.all_values for name in names_in(value)] for column in (key, ids)
    )
    known, referred = {*names}, {*references}
    met = [name for name in references if name in known]
    unique = len(known) == len(names) or len(referred) == len(references)
    key_path, ids_path = key.path.lower(), ids.path.lower()
    alike = key_path == ids_path
    named = ID_LIKE.search(key.path) and ID_LIKE.search(ids.path)
    # A key often has the name of the list to which it leads.
    leads = _named_after(key.path, into) > 0 or _named_after(ids.path, rows) > 0
    # Small numbers count many things, but in a list beside a key.
    listed = "[]" in ids.path and ID_LIKE.search(key.path)
    telling = alike or named or leads or listed or not all(map(str.isdecimal, met))
    # The rows of each table are numbered anew by their field ``id``, which then says nothing of another table.
    both_id = key_path == ids_path.rpartition("[].")[2] == "id"
    numbered_anew = both_id and _count_from_one(references) and _count_from_one(names)
    if len({*met}) < 2 or numbered_anew or not (unique and telling):
        return 0.0
    # A table may have many objects to which nothing refers.
    share = max(len(met) / len(references), share_of([name in referred for name in names]))
    return share + 0.75 * leads + (0.5 if alike and not both_id else 0.0) if share >= 0.6 else 0.0


def _count_from_one(names: Sequence[str]) -> bool:
    """Whether names are the numbers from one on."""
    return {*names} == {str(number) for number in range(1, len(names) + 1)}
