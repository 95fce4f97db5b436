"""All tables of a store and their columns, as ``tables.toml`` describes them, and the units of their rows.

Schemas are never inferred: a table that does not fit is an error in the program.
``docs/data-dictionary.md`` is generated from here.
"""

import hashlib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import pyarrow as pa

from qsquared.storage.keys import pair_id

SCHEMA_VERSION = 2
"""Raised when a column or a small file changes its form or meaning; other versions are refused.

A column that is added (`Column.later`) needs no other version: earlier tables lack it.

1 had JSON files without a checksum.
"""

TEXT = pa.string()
INT = pa.int32()
LONG = pa.int64()
REAL = pa.float64()
FLAG = pa.bool_()
TIME = pa.timestamp("us", tz="UTC")
TEXTS = pa.list_(pa.field("item", pa.string()))
INTS = pa.list_(pa.field("item", pa.int32()))


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, Arrow type, meaning, and whether (and when) it is NULL."""

    name: str
    type: pa.DataType
    meaning: str
    null: str = ""
    later: bool = False
    """Whether tables that were written before it was added lack it; such a column may be NULL."""

    @property
    def nullable(self) -> bool:
        """Whether the column may be NULL: exactly when it states the meaning of NULL."""
        return bool(self.null)


@dataclass(frozen=True, slots=True)
class Table:
    """A documented table of the store.

    A table with ``measures`` has one row for each pair, or, with `situation_id`, for each situation.
    Where it has no columns `status` and `reason`, a row's `error` is its reason.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    measures: tuple[str, ...] = ()
    """The columns that are a metric's values; no two tables share one."""
    retired: tuple[str, ...] = ()
    """Columns that earlier tables have, and that nobody reads any more."""

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema, without metadata."""
        return _schema(self.columns)

    def fits(self, schema: pa.Schema) -> bool:
        """Whether a file with this schema is of the table, before or after columns came and went."""
        fields = [field for field in schema if field.name not in self.retired]
        names = {field.name for field in fields}
        expected = [column for column in self.columns if column.name in names or not column.later]
        return bool(pa.schema(fields).equals(_schema(expected)))

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def __contains__(self, name: object) -> bool:
        return any(column.name == name for column in self.columns)


def _schema(columns: Iterable[Column]) -> pa.Schema:
    return pa.schema([pa.field(c.name, c.type, c.nullable) for c in columns])


_KINDS = {
    "text": (TEXT, "VARCHAR"),
    "texts": (TEXTS, "VARCHAR[]"),
    "int": (INT, "INTEGER"),
    "ints": (INTS, "INTEGER[]"),
    "long": (LONG, "BIGINT"),
    "real": (REAL, "DOUBLE"),
    "flag": (FLAG, "BOOLEAN"),
    "time": (TIME, "TIMESTAMPTZ"),
}
"""The types of columns by their names in ``tables.toml``, in Arrow and in SQL."""

SQL_TYPES = dict(_KINDS.values())


def _read() -> dict[str, Table]:
    described = files("qsquared.storage").joinpath("tables.toml").read_text(encoding="utf-8")
    sections: dict[str, dict[str, Any]] = tomllib.loads(described)
    shared = sections.pop("shared")
    return {name: _table(name, section, shared) for name, section in sections.items()}


def _table(name: str, section: dict[str, Any], shared: dict[str, list[str]]) -> Table:
    later = section.get("later", ())
    columns = []
    for column, given in section["columns"].items():
        kind, meaning, *null = given or shared[column]
        columns.append(Column(column, _KINDS[kind][0], meaning, "".join(null), column in later))
    measures, retired = (tuple(section.get(key, ())) for key in ("measures", "retired"))
    return Table(name, section["about"], tuple(columns), measures, retired)


_NAMED = _read()
TURNS = _NAMED["turns"]
REJECTS = _NAMED["rejects"]
PAIRS = _NAMED["pairs"]
SITUATIONS = _NAMED["situations"]
SENTENCES = _NAMED["sentences"]
SENTENCE_ENTAILMENT = _NAMED["sentence_entailment"]
SENTENCE_SCORES = _NAMED["sentence_scores"]
SPANS = _NAMED["spans"]
QUESTIONS = _NAMED["questions"]
ROUNDTRIP = _NAMED["roundtrip"]
ANSWERS = _NAMED["answers"]
COMPARISONS = _NAMED["comparisons"]
SCORES = _NAMED["scores"]
NLI = _NAMED["nli"]
E2E_NLI = _NAMED["e2e_nli"]
BLEND = _NAMED["blend"]
OVERLAP = _NAMED["overlap"]
BLEU = _NAMED["bleu"]
ROUGE = _NAMED["rouge"]
METEOR = _NAMED["meteor"]
BERTSCORE = _NAMED["bertscore"]
CONSISTENCY = _NAMED["consistency"]
QAGS_QUESTIONS = _NAMED["qags_questions"]
QAGS_ANSWERS = _NAMED["qags_answers"]
QAGS = _NAMED["qags"]
BEGIN = _NAMED["begin"]
GLUE_INDICATORS = _NAMED["indicators"]
GLUE = _NAMED["glue"]
DRAWS = _NAMED["draws"]
LABELS = _NAMED["labels"]
LABEL_REJECTS = _NAMED["label_rejects"]

LABEL_TABLES = (DRAWS, LABELS, LABEL_REJECTS)
"""The tables of people's judgements; each draw and each reading of a form is a file of its own."""

TABLES = tuple(_NAMED.values())
STAGE_TABLES = tuple(
    table for table in TABLES if table not in {TURNS, REJECTS, PAIRS, SITUATIONS, *LABEL_TABLES}
)
MEASURED = tuple(table for table in STAGE_TABLES if table.measures)
OF_CLAIMS = (NLI, E2E_NLI, BLEND, CONSISTENCY)
"""Tables whose rows have no value, and no error, where the reply claims nothing."""


_ID_LENGTH = 32


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """A kind of unit that metrics score.

    ``table`` holds the distinct units of a shard, and ``key`` names its column of ids.
    ``of_turn`` is the id of a turn's unit as SQL over columns of the turns, ``texts`` the columns of
    ``table`` as SQL over them.
    ``identify`` returns the id of a row of ``table`` by its texts.
    """

    table: Table
    key: str
    of_turn: str
    texts: str
    identify: Callable[[Mapping[str, Any]], str]

    @property
    def name(self) -> str:
        """The name of the unit's table, of its folder in a store, and of the input of a stage."""
        return self.table.name


def situation_id(pair: str, previous: str | None) -> str:
    """Return the id of a pair after a previous turn; ``None`` stands for an unknown turn."""
    text = pair if previous is None else f"{pair}\n{previous}"
    return hashlib.sha256(text.encode()).hexdigest()[:_ID_LENGTH]


# The same as SQL, so that turns need no column for it: older stores have none.
_PREVIOUS = "history[-1]"
_SITUATION_OF_TURN = (
    "CASE WHEN pair_id IS NOT NULL THEN "
    f"left(sha256(concat_ws(chr(10), pair_id, {_PREVIOUS})), {_ID_LENGTH}) END"
)

PAIR = ScoredUnit(
    PAIRS,
    "pair_id",
    "pair_id",
    "pair_id, response, knowledge",
    lambda row: pair_id(row["response"], row["knowledge"]),
)
SITUATION = ScoredUnit(
    SITUATIONS,
    "situation_id",
    _SITUATION_OF_TURN,
    f"{_SITUATION_OF_TURN} AS situation_id, pair_id, {_PREVIOUS} AS previous, response, knowledge",
    lambda row: situation_id(pair_id(row["response"], row["knowledge"]), row["previous"]),
)
UNITS = {unit.name: unit for unit in (PAIR, SITUATION)}


def unit_of(table: Table) -> ScoredUnit:
    """Return the unit that the rows of a stage's table belong to."""
    return SITUATION if SITUATION.key in table else PAIR


def units_of(tables: Iterable[Table]) -> tuple[ScoredUnit, ...]:
    """Return the units that the rows of some stages' tables belong to, each once."""
    units = {unit_of(table).name for table in tables}
    return tuple(unit for name, unit in UNITS.items() if name in units)
