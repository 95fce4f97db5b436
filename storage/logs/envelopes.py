"""Envelopes, which hold the rows of a log as a list, as the answers of many interfaces do."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from qsquared.storage.logs.fields.embedded_values import by_ids, parsed
from qsquared.storage.logs.fields.field_paths import value_at
from qsquared.storage.logs.fields.mapping import AND
from qsquared.storage.logs.rows import RawRow, Row, UnreadableRow, read_limits
from qsquared.storage.logs.vocabulary import vocabulary
from qsquared.storage.logs.wrappings import line_in, records_by, with_line

_V = vocabulary("envelopes")

ROW_LISTS = frozenset(_V.names("lists"))
"""Names of lists that hold the rows of a log."""
_LEAST_CONVERSATIONS, _LEAST_TABLES = 2, 3
_LEAST_WORDS = 3


def unwrapped(
    rows: Iterable[Row], line: str = "", templates: Mapping[str, str] | None = None
) -> Iterator[Row]:
    """Yield the rows of a log, and in place of an envelope the rows that it holds.

    Args:
        rows: the rows of the file.
        line: the path to the field in which a collector has each line of a server, if the rows are these.
        templates: the templates of the server's records; without any these are read as those of other text logs.
    """
    held = _replaced(_of_tables(rows), held_rows)
    return records_by(held, line, templates or {}) if line else map(with_line, held)


def _of_tables(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows, and those that name their table as one row at the end: a list of rows under each table's name.

    ``manage.py dumpdata`` writes a database so (Django, "Serializing Django objects").
    """
    named, key, inner = _V.names("of_tables")
    first, tables, size, limits = None, defaultdict(list), 0, read_limits()
    for row in rows:
        fields = row.fields if isinstance(row, RawRow) else {}
        if inner not in fields:
            yield row
            continue
        # With natural keys a row has no number.
        keyed = fields.keys() == {named, key, inner}
        named_alone = fields.keys() == {named, inner} and "." in str(fields[named])
        if not (keyed or named_alone) or not isinstance(fields[inner], dict):
            yield row
            continue
        first, size = first or row, size + len(str(fields))
        if size > limits.row_bytes:
            yield UnreadableRow(first.position, first.line, limits.too_long("dump"), first.raw)
            return
        # A dot would lead into an object.
        table = str(fields[named]).replace(".", "_")
        tables[table].append({**({key: fields[key]} if keyed else {}), **fields[inner]})
    if first:
        yield RawRow(first.position, first.line, dict(tables), first.raw)


def _of_lines(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the objects of the list of an object of which some hold the line of a server; else none."""
    lists = [value for value in fields.values() if isinstance(value, list)]
    lists = [held for held in lists if held and isinstance(held[0], dict)]
    objects = (held for held in lists if all(isinstance(one, dict) for one in held))
    return next((held for held in objects if sum(map(bool, map(line_in, held))) > 1), [])


def entered(rows: Iterable[Row], path: str) -> Iterator[Row]:
    """Yield in place of each row the objects in its lists at some paths; a row without any stays."""

    def objects(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        lists = (value_at(fields, part) for part in path.split(AND))
        held = (one for several in lists if isinstance(several, list) for one in several)
        return [one for one in held if isinstance(one, dict)]

    return _replaced(rows, objects)


def _replaced(
    rows: Iterable[Row], inner: Callable[[Mapping[str, Any]], list[Mapping[str, Any]] | None]
) -> Iterator[Row]:
    """Yield the rows of a log, and in place of one that holds others these."""
    position = 0
    for row in rows:
        held = inner(row.fields) if isinstance(row, RawRow) else None
        for part, fields in enumerate(held or (), start=1):
            yield RawRow(position, row.line, dict(fields), row.raw, part)
            position += 1
        if not held:
            yield row if row.position == position else replace(row, position=position)
            position += 1


def held_rows(fields: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the rows that an envelope holds, None if a row is no envelope."""
    objects = any(isinstance(one, dict) for one in fields.values())
    forms = (_of_schema, _of_table, _of_lines, _of_database) if objects else (_of_table, _of_lines)
    tables = (form(fields) for form in forms)
    if table := next(filter(None, tables), None):
        return table
    if ROW_LISTS.isdisjoint(fields):
        inner = next(iter(fields.values())) if len(fields) == 1 else None
        within = held_rows(inner) if isinstance(inner, dict) else None
        return within or _by_name(fields) or (_by_prefix(fields) if objects else None)
    lists = [name for name in _V.names("lists") if name in fields]
    lists = [name for name in lists if fields[name] not in (None, [])] or lists
    besides = fields.keys() - ROW_LISTS - _V.set("besides")
    if lists == ["traces"]:
        # A session of Langfuse has its traces beside its own id and times.
        besides = {name for name in besides if isinstance(fields[name], dict | list)}
    if len(lists) != 1 or besides:
        return None
    held = parsed(fields[lists[0]])
    if not isinstance(held, list) or not all(isinstance(item, dict) for item in held):
        return None
    # The messages of one conversation are no rows of their own.
    spoken = all(item.keys() & {"role", "from", "speaker"} or _is_item(item) for item in held)
    return None if spoken else held


def _by_name(fields: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the rows of an object that holds each under its id, None if it is another."""
    if fields.get("class_name") == "SimpleChatStore" and isinstance(fields.get("store"), dict):
        return [{"id": name, "messages": said} for name, said in fields["store"].items()] or None
    if len(fields) < _LEAST_CONVERSATIONS or not _V.set("of_calls").isdisjoint(fields):
        return None
    if not all(isinstance(value, dict | list) for value in fields.values()):
        return None
    held = [{"messages": value} if isinstance(value, list) else value for value in fields.values()]
    pairs = zip(fields, held, strict=True)
    rows: list[Mapping[str, Any]] = [{"id": name, **one} for name, one in pairs]
    if all(_are_spoken(one.get("messages")) for one in held):
        return rows
    # Ids count or date something; numbers alone, and names such as "question" or "user", are of the parts of one row.
    named = all(any(map(str.isdigit, name)) and not name.isdigit() for name in fields)
    alike = _has_list(held[0]) and all(one.keys() == held[0].keys() for one in held)
    stated: list[Mapping[str, Any]] = [*(by_ids(fields) or ())]
    return stated or (rows if alike else None) if named else None


def _by_prefix(fields: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the objects with lists that an application's store holds by its name of a kind and their ids; else None.

    Its settings stand beside them under names of their own.
    """
    kinds: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for key, one in fields.items():
        name = one.get("id") if isinstance(one, dict) else None
        if isinstance(name, str) and name and key.endswith(name) and key != name:
            kinds[key.removesuffix(name)].append(one)
        elif isinstance(one, str) and _tells(one):
            return None
    listed = [held for held in kinds.values() if all(map(_has_list, held))]
    # Of two kinds nobody knows which has the conversations.
    return listed[0] if len(listed) == 1 and len(listed[0]) >= _LEAST_CONVERSATIONS else None


def _has_list(one: Mapping[str, Any]) -> bool:
    return any(isinstance(value, list) for value in one.values())


def _of_database(fields: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the tables that an application exports under one name beside versions and dates; else None."""
    inner: list[Mapping[str, Any]] = [one for one in fields.values() if isinstance(one, dict)]
    plain = not any(isinstance(one, list) or _tells(one) for one in fields.values())
    tables = inner[0].values() if plain and len(inner) == 1 else ()
    lists = [one for one in tables if isinstance(one, list) and one and isinstance(one[0], dict)]
    return inner if len(lists) >= _LEAST_TABLES else None


def _are_spoken(value: Any) -> bool:
    said = value if isinstance(value, list) else []
    return bool(said) and all(isinstance(one, dict) and "role" in one for one in said)


def _of_table(fields: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the rows of a table that pandas or datasets wrote by its columns, or arrays beside their names."""
    if table := _of_arrays(fields) or _of_lists(fields):
        return table
    index = next(iter(fields.values()), None)
    if not isinstance(index, dict) or not all(str(key).isdecimal() for key in index):
        return None
    if not all(isinstance(one, dict) and one.keys() == index.keys() for one in fields.values()):
        return None
    return [{name: column[key] for name, column in fields.items()} for key in index] or None


def _of_arrays(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rows of an object that has each as an array, and beside them the names of their columns; else none."""
    named = (_column_names(fields[key]) for key in _V.names("columns") if key in fields)
    names = next(filter(None, named), [])
    for name, rows in fields.items() if names else ():
        # Beside a table stand numbers, states and settings, and nothing that people or programs say.
        others = (value for key, value in fields.items() if key not in (name, *_V.names("columns")))
        if any(map(_tells, others)):
            continue
        listed = rows if isinstance(rows, list) else []
        if listed and all(isinstance(row, list) and len(row) == len(names) for row in listed):
            return [dict(zip(names, row, strict=True)) for row in listed]
    return []


def _tells(value: Any) -> bool:
    """Whether a value is a text of several words, or a list of objects or of lists."""
    if isinstance(value, list):
        return any(isinstance(one, dict | list) for one in value)
    return isinstance(value, str) and len(value.split()) >= _LEAST_WORDS


def _column_names(value: Any) -> list[str]:
    """Return the names of columns: texts of a list, of its objects, or keys of objects with their places; else none."""
    if isinstance(value, dict):
        places = {str(name): _place(one) for name, one in value.items() if isinstance(one, dict)}
        ordered = sorted(place for place in places.values() if place is not None)
        whole = ordered == [*range(ordered[0], ordered[0] + len(value))] if ordered else False
        return sorted(places, key=lambda name: places[name] or 0) if whole else []
    listed = value if isinstance(value, list) else []
    held = (one.get("name") if isinstance(one, dict) else one for one in listed)
    names = [one for one in held if isinstance(one, str)]
    return names if len(names) == len(listed) == len(set(names)) else []


def _place(column: Mapping[str, Any]) -> int | None:
    """Return the place of a column among others, None if no field or several could be it."""
    found = [value for name, value in column.items() if _V["place"].search(str(name))]
    return found[0] if len(found) == 1 and isinstance(found[0], int) else None


def _of_schema(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rows of an answer of BigQuery's interface, none of another object."""
    schema, rows = fields.get("schema"), fields.get("rows")
    if not isinstance(schema, dict) or not isinstance(rows, list):
        return []
    return [_of_cells(row, schema) for row in rows]


def _of_cells(row: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of BigQuery's interface, whose cells (``f``, ``v``) have the names of its schema."""
    cells = row.get("f") if isinstance(row, dict) else None
    names = schema.get("fields")
    found: dict[str, Any] = {}
    for column, cell in zip(names or (), cells or (), strict=False):
        held = cell.get("v")
        several = held if column.get("mode") == "REPEATED" and isinstance(held, list) else [cell]
        values = [one.get("v") for one in several]
        values = [_of_cells(one, column) if "fields" in column else one for one in values]
        found[column["name"]] = values if several is held else values[0]
    return found


def _of_lists(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rows of a table of which each column is a list, several of them of texts; else none."""
    lists = [value for value in fields.values() if isinstance(value, list)]
    lengths = {len(one) for one in lists}
    listed = lists if len(lists) == len(fields) else []
    texts = [one for one in listed if all(isinstance(text, str) for text in one)]
    if len(lengths) != 1 or len(texts) < 2 or lengths <= {0, 1}:
        return []
    return [dict(zip(fields, row, strict=True)) for row in zip(*lists, strict=True)]


def _is_item(item: Mapping[str, Any]) -> bool:
    """Whether an object is an item of a conversation of the Responses API that nobody speaks."""
    kind = item.get("type")
    called = isinstance(kind, str) and kind.endswith(("_call", "_call_output"))
    return called or kind == "reasoning"
