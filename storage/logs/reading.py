"""Detect the file format of a log and the format of its rows, and read it accordingly.

The order of day and month in times is decided by the whole column: 11/05 is in May or in November for all rows.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from qsquared.errors import UnusableLogError, UsageError
from qsquared.storage.logs.envelopes import entered, unwrapped
from qsquared.storage.logs.fields.field_paths import grouped
from qsquared.storage.logs.fields.mapping import expected_columns, sources, split_fields
from qsquared.storage.logs.fields.times import ORDERS, common_order, moment_of, order_of
from qsquared.storage.logs.fields.values import is_absent
from qsquared.storage.logs.file_types.detect import (
    FILE_TYPES,
    detect_file_type,
    iterate_rows,
    refuse_other_content,
)
from qsquared.storage.logs.format_engines.formats import (
    Format,
    known_formats,
    own_formats,
    read_format,
)
from qsquared.storage.logs.format_engines.recognition import FLAT, adapted, recognise
from qsquared.storage.logs.format_engines.units import Overrides
from qsquared.storage.logs.read_options import ReadOptions, joined_format, split_format
from qsquared.storage.logs.rows import RawRow, Row, read_limits
from qsquared.storage.logs.turns_and_rejects import to_turn

_BETWEEN = "+"
DESCRIBED = "described"
"""The name of a format that a person describes."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A log's file_type (`jsonl`, `csv`, …), its adapter (or `flat`), and the mapping of fields."""

    file_type: str
    adapter: str = FLAT
    mapping: Mapping[str, str] = field(default_factory=dict)

    options: ReadOptions = field(default_factory=ReadOptions)
    source: Mapping[str, str] = field(init=False, repr=False, compare=False)
    """Our fields with the field of each in the rows that `rows` yields."""

    def __post_init__(self) -> None:
        own = self.mapping if self.adapter == FLAT else {}
        object.__setattr__(self, "source", sources(own))

    @property
    def format(self) -> str:
        """The name of the format in the store, as in `parquet+langsmith`, with stated options."""
        plain = self.adapter == FLAT
        name = self.file_type if plain else f"{self.file_type}{_BETWEEN}{self.adapter}"
        return joined_format(name, self.options)

    @property
    def described(self) -> Format | None:
        """The person's own format, None if there is none.

        Raises:
            UsageError: it is no description.
        """
        stated = self.options.described
        return None if stated is None else read_format(DESCRIBED, stated, "of --format-file")

    def turn_of(self, row: RawRow, fingerprint: str, file_name: str) -> dict[str, Any] | str:
        """Return a row that `rows` yields as a row of the turns table, or why it holds no turn."""
        return to_turn(row, fingerprint, file_name, self.source, self.options)

    def rows(self, path: Path, size: int | None = None) -> Iterator[Row]:
        """Yield the rows of a log, with our fields if it has an adapter.

        Args:
            path: the log.
            size: read no further than this many bytes of a text file (it may still grow).

        Raises:
            InputError: the file as a whole cannot be read.
        """
        yield from self.read(self.raw_rows(path, size))

    def read(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Yield rows with our fields, if the log has an adapter; else the rows themselves."""
        if self.adapter != FLAT:
            named = grouped((ours, theirs) for theirs, ours in self.mapping.items())
            overrides = Overrides(named, self.options.between)
            form = self.described or known_formats()[self.adapter]
            rows = adapted(rows, form, overrides, read_limits())
        yield from rows

    def raw_rows(
        self, path: Path, size: int | None = None, *, any_columns: bool = False
    ) -> Iterator[Row]:
        """Yield the rows of a log with its own fields; see `rows`.

        With ``any_columns`` also those of a table that lacks the columns of a turn.
        """
        known = self.adapter != FLAT or any_columns
        expected = () if known else expected_columns(self.mapping)
        of_file = iterate_rows(path, expected, size, self.file_type, self.options)
        rows = unwrapped(of_file, self.options.line, self.options.lines)
        return entered(rows, self.options.rows) if self.options.rows else rows


def check_format(wanted: str, store: Path | None = None) -> None:
    """Refuse a format that does not exist; an empty one is to be detected.

    Raises:
        UsageError: it names no file type and no adapter, or two of a kind.
    """
    _parts(wanted, store)


def _parts(wanted: str, store: Path | None) -> tuple[str | None, str | None, ReadOptions]:
    """Return the file type, the adapter and the options that a person asked for.

    A file type or adapter that is left open is None.
    """
    wanted, options = split_format(wanted)
    file_type = adapter = None
    for part in wanted.split(_BETWEEN) if wanted else ():
        if part in FILE_TYPES and file_type is None:
            file_type = part
        elif part in {FLAT, DESCRIBED, *known_formats()} and adapter is None:
            adapter = part
        elif part in (own := own_formats(store)) and adapter is None:
            adapter, options = DESCRIBED, replace(options, described=own[part])
        else:
            raise UsageError(
                f"--format is {wanted!r}.",
                f"Give one of {', '.join((FLAT, *known_formats()))}, or how the rows lie in the file "
                f"({', '.join(FILE_TYPES)}), or both, as in parquet+langsmith.",
            )
    return file_type, adapter, options


def detect_reading(
    path: Path, mapping: Mapping[str, str], wanted: str = "", store: Path | None = None
) -> Reading:
    """Detect from a log's content how to read it, as far as a person left it open.

    Formats of a person's own may lie in the ``store``, too (`format_engines.formats.own_files`).

    Raises:
        InputError: the file as a whole cannot be read, or plainly is of another format than the
            one stated.
        UsageError: there is no such format.
    """
    file_type, adapter, options = _parts(wanted, store)
    if file_type is None:
        file_type = detect_file_type(path)
    else:
        refuse_other_content(path, file_type)
    if options.described is not None:
        adapter = DESCRIBED
    if adapter is None:
        own = own_formats(store)
        forms = [read_format(name, stated, name) for name, stated in own.items()]
        with closing(iterate_rows(path, (), None, file_type, options)) as rows:
            known, within = recognise(unwrapped(rows), mapping, forms)
        adapter = FLAT if known is None else known.name
        options = replace(options, rows=within)
        if known in forms:
            adapter, options = DESCRIBED, replace(options, described=own[adapter])
    return Reading(file_type, adapter, mapping, options)


_LOOKED_AT = 1000


def with_order(reading: Reading, path: Path, size: int | None = None) -> Reading:
    """Return a reading that knows the order of day and month, if the log's times need one.

    Args:
        reading: how the log is read.
        path: the log.
        size: read no further than this many bytes.

    Raises:
        UnusableLogError: a stated form reads none of the first thousand times, no time says which of
            day and month comes first, or two times contradict each other.
    """
    form = reading.options.time_form
    head = list(_times(reading, path, size, _LOOKED_AT))
    if form and head and not any(moment_of(value, form) for value in head):
        raise UnusableLogError(
            f"--time-format {form} reads none of the first {len(head):,} times of {path}, such as "
            f"{str(head[0])!r}. Nothing was changed.",
            f"Give the form of that time, or {' or '.join(ORDERS)}, or leave the option away.",
        )
    if form or not any(map(order_of, head)):
        return reading
    order, problem = common_order(_times(reading, path, size))
    if problem:
        raise UnusableLogError(
            f"The times of {path} can be read in two ways: {problem}.",
            f"Say how they are: {', or '.join(f'--time-format {one}' for one in ORDERS)}",
        )
    return replace(reading, options=replace(reading.options, time_form=order))


def _times(
    reading: Reading, path: Path, size: int | None, most: int | None = None
) -> Iterator[Any]:
    """Yield the values of a log's times as they stand in it, of all rows or of the first ones."""
    for row in reading.read(islice(reading.raw_rows(path, size, any_columns=True), most)):
        if isinstance(row, RawRow):
            value = split_fields(row.fields, reading.source)[0].get("timestamp")
            if not is_absent(value):
                yield value
