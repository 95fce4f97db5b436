"""Detect the file format of a log and the format of its rows, and read it accordingly."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from qsquared.errors import UsageError
from qsquared.storage.logs.adapters.adapt import adapted
from qsquared.storage.logs.adapters.adapter import FieldOverrides
from qsquared.storage.logs.adapters.registry import ADAPTERS, FLAT, recognise
from qsquared.storage.logs.formats.detect import CONTAINERS, detect_format, iterate_rows
from qsquared.storage.logs.limits import read_limits
from qsquared.storage.logs.mapping import FIELDS, expected_columns, sources
from qsquared.storage.logs.rows import RawRow, UnreadableRow

_TABULAR = {"csv", "tsv"}
_BETWEEN = "+"


@dataclass(slots=True)
class First:
    """A limit on the rows of a file; ``seen`` counts them, ``more`` says whether others follow."""

    most: int
    seen: int = 0
    more: bool = False

    def of(self, rows: Iterator[RawRow | UnreadableRow]) -> Iterator[RawRow | UnreadableRow]:
        """Yield the first ``most`` rows."""
        for row in rows:
            if self.seen >= self.most:
                self.more = True
                return
            self.seen += 1
            yield row


@dataclass(frozen=True, slots=True)
class Reading:
    """A log's container (`jsonl`, `csv`, …), its adapter (or `flat`), and the mapping of fields."""

    container: str
    adapter: str = FLAT
    mapping: Mapping[str, str] = field(default_factory=dict)

    @property
    def format(self) -> str:
        """The name of the format in the store, as in `parquet+langsmith`."""
        plain = self.adapter == FLAT
        return self.container if plain else f"{self.container}{_BETWEEN}{self.adapter}"

    @property
    def tabular(self) -> bool:
        """Whether a cell may hold a list as JSON text."""
        return self.adapter == FLAT and self.container in _TABULAR

    @property
    def source(self) -> dict[str, str]:
        """Our fields with the field of each in the rows that `rows` yields."""
        return sources(self.mapping) if self.adapter == FLAT else {name: name for name in FIELDS}

    def rows(
        self, path: Path, size: int | None = None, first: First | None = None
    ) -> Iterator[RawRow | UnreadableRow]:
        """Yield the rows of a log, with our fields if it has an adapter.

        Args:
            path: the log.
            size: read no further than this many bytes of a text file (it may still grow).
            first: read the first so many rows of the file only.

        Raises:
            InputError: the file as a whole cannot be read.
        """
        flat = self.adapter == FLAT
        expected = expected_columns(self.mapping) if flat else ()
        rows: Iterator[RawRow | UnreadableRow]
        rows = iterate_rows(path, expected, size, self.container)
        if first is not None:
            rows = first.of(rows)
        if not flat:
            overrides = FieldOverrides({ours: theirs for theirs, ours in self.mapping.items()})
            rows = adapted(rows, ADAPTERS[self.adapter], overrides, read_limits())
        yield from rows


def check_format(wanted: str) -> None:
    """Refuse a format that does not exist; an empty one is to be detected.

    Raises:
        UsageError: it names no container and no adapter, or two of a kind.
    """
    _parts(wanted)


def _parts(wanted: str) -> tuple[str | None, str | None]:
    """Return the container and the adapter that a person asked for, None for one left open."""
    container = adapter = None
    for part in wanted.split(_BETWEEN) if wanted else ():
        if part in CONTAINERS and container is None:
            container = part
        elif part in {FLAT, *ADAPTERS} and adapter is None:
            adapter = part
        else:
            raise UsageError(
                f"--format is {wanted!r}.",
                f"Give one of {', '.join((FLAT, *ADAPTERS))}, or how the rows lie in the file "
                f"({', '.join(CONTAINERS)}), or both, as in parquet+langsmith.",
            )
    return container, adapter


def detect_reading(path: Path, mapping: Mapping[str, str], wanted: str = "") -> Reading:
    """Detect from a log's content how to read it, as far as a person left it open.

    Raises:
        InputError: the file as a whole cannot be read.
        UsageError: there is no such format.
    """
    container, adapter = _parts(wanted)
    if container is None:
        container = detect_format(path)
    if adapter is None:
        response = sources(mapping).get("response", "response")
        with closing(iterate_rows(path, (), None, container)) as rows:
            known = recognise(rows, response)
        adapter = FLAT if known is None else known.name
    return Reading(container, adapter, mapping)
