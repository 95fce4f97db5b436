"""Detect the file format of a log and the format of its rows, and read it accordingly."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from qsquared.errors import UsageError
from qsquared.storage.logs.engines.formats import Format, known_formats, own_formats, read_format
from qsquared.storage.logs.engines.grouping import adapted
from qsquared.storage.logs.engines.recognising import FLAT, recognise
from qsquared.storage.logs.engines.units import Overrides
from qsquared.storage.logs.envelopes import entered, unwrapped
from qsquared.storage.logs.fields.mapping import FIELDS, expected_columns, sources
from qsquared.storage.logs.formats.contradictions import refuse_other_content
from qsquared.storage.logs.formats.detect import CONTAINERS, detect_format, iterate_rows
from qsquared.storage.logs.limits import read_limits
from qsquared.storage.logs.read_options import ReadOptions, joined_format, split_format
from qsquared.storage.logs.rows import RawRow, UnreadableRow
from qsquared.storage.logs.turns import to_turn

_BETWEEN = "+"
DESCRIBED = "described"
"""The name of a format that a person describes."""


@dataclass(slots=True)
class First:
    """A limit on the rows of a file; ``seen`` counts them, ``more`` says whether others follow.

    ``watch`` is called with each of them.
    """

    most: int
    watch: Callable[[RawRow | UnreadableRow], None] | None = None
    seen: int = 0
    more: bool = False

    def of(self, rows: Iterator[RawRow | UnreadableRow]) -> Iterator[RawRow | UnreadableRow]:
        """Yield the first ``most`` rows."""
        for row in rows:
            if self.seen >= self.most:
                self.more = True
                return
            self.seen += 1
            if self.watch is not None:
                self.watch(row)
            yield row


@dataclass(frozen=True, slots=True)
class Reading:
    """A log's container (`jsonl`, `csv`, …), its adapter (or `flat`), and the mapping of fields."""

    container: str
    adapter: str = FLAT
    mapping: Mapping[str, str] = field(default_factory=dict)

    options: ReadOptions = field(default_factory=ReadOptions)
    source: Mapping[str, str] = field(init=False, repr=False, compare=False)
    """Our fields with the field of each in the rows that `rows` yields."""

    def __post_init__(self) -> None:
        flat = self.adapter == FLAT
        found = sources(self.mapping) if flat else {name: name for name in FIELDS}
        object.__setattr__(self, "source", found)

    @property
    def format(self) -> str:
        """The name of the format in the store, as in `parquet+langsmith`, with stated options."""
        plain = self.adapter == FLAT
        name = self.container if plain else f"{self.container}{_BETWEEN}{self.adapter}"
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

    def rows(
        self,
        path: Path,
        size: int | None = None,
        first: First | None = None,
        *,
        any_columns: bool = False,
    ) -> Iterator[RawRow | UnreadableRow]:
        """Yield the rows of a log, with our fields if it has an adapter.

        Args:
            path: the log.
            size: read no further than this many bytes of a text file (it may still grow).
            first: read the first so many rows of the file only.
            any_columns: also read a table that lacks the columns of a turn, row by row.

        Raises:
            InputError: the file as a whole cannot be read.
        """
        rows = self.raw_rows(path, size, any_columns=any_columns)
        if first is not None:
            rows = first.of(rows)
        yield from self.read(rows)

    def read(self, rows: Iterator[RawRow | UnreadableRow]) -> Iterator[RawRow | UnreadableRow]:
        """Yield rows with our fields, if the log has an adapter; else the rows themselves."""
        if self.adapter != FLAT:
            theirs = {
                ours: [t for t, o in self.mapping.items() if o == ours]
                for ours in self.mapping.values()
            }
            overrides = Overrides(theirs, self.options.between)
            rows = adapted(
                rows, self.described or known_formats()[self.adapter], overrides, read_limits()
            )
        yield from rows

    def raw_rows(
        self, path: Path, size: int | None = None, *, any_columns: bool = False
    ) -> Iterator[RawRow | UnreadableRow]:
        """Yield the rows of a log with its own fields; see `rows`."""
        known = self.adapter != FLAT or any_columns
        expected = () if known else expected_columns(self.mapping)
        rows = unwrapped(iterate_rows(path, expected, size, self.container, self.options))
        return entered(rows, self.options.rows) if self.options.rows else rows


def check_format(wanted: str) -> None:
    """Refuse a format that does not exist; an empty one is to be detected.

    Raises:
        UsageError: it names no container and no adapter, or two of a kind.
    """
    _parts(wanted)


def _parts(wanted: str) -> tuple[str | None, str | None, ReadOptions]:
    """Return the container, the adapter and the options that a person asked for.

    A container or adapter that is left open is None.
    """
    wanted, options = split_format(wanted)
    container = adapter = None
    for part in wanted.split(_BETWEEN) if wanted else ():
        if part in CONTAINERS and container is None:
            container = part
        elif part in {FLAT, DESCRIBED, *known_formats()} and adapter is None:
            adapter = part
        elif part in (own := own_formats()) and adapter is None:
            adapter, options = DESCRIBED, replace(options, described=own[part])
        else:
            raise UsageError(
                f"--format is {wanted!r}.",
                f"Give one of {', '.join((FLAT, *known_formats()))}, or how the rows lie in the file "
                f"({', '.join(CONTAINERS)}), or both, as in parquet+langsmith.",
            )
    return container, adapter, options


def detect_reading(path: Path, mapping: Mapping[str, str], wanted: str = "") -> Reading:
    """Detect from a log's content how to read it, as far as a person left it open.

    Raises:
        InputError: the file as a whole cannot be read, or plainly is of another format than the
            one stated.
        UsageError: there is no such format.
    """
    container, adapter, options = _parts(wanted)
    if container is None:
        container = detect_format(path)
    else:
        refuse_other_content(path, container)
    if options.described is not None:
        adapter = DESCRIBED
    if adapter is None:
        own = own_formats()
        forms = [read_format(name, stated, name) for name, stated in own.items()]
        with closing(iterate_rows(path, (), None, container, options)) as rows:
            known, within = recognise(unwrapped(rows), mapping, forms)
        adapter = FLAT if known is None else known.name
        options = replace(options, rows=within)
        if known in forms:
            adapter, options = DESCRIBED, replace(options, described=own[adapter])
    return Reading(container, adapter, mapping, options)
