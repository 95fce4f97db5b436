"""Check that the rows of each stage belong to its shard's pairs and to the stage before it.

Hashes show that a file is as it was written; these checks show that the files fit each other.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from qsquared.storage.connection import exact_patterns
from qsquared.storage.files.parquet import read_table
from qsquared.storage.keys import shard_key
from qsquared.storage.records.indexes.checks import STAGES
from qsquared.storage.tables import ScoredUnit, unit_of

BEFORE = {
    "spans": "sentences",
    "questions": "spans",
    "roundtrip": "questions",
    "answers": "roundtrip",
    "comparisons": "answers",
    "sentence_scores": "sentences",
}
"""Each row of a stage stands for a row of the stage before it."""

_FURTHER_KEYS = ("sentence", "span_index", "rank")
_ROWS = "(select *, parse_filename(filename, true) as shard from read_parquet({}, filename = true))"
_CHILD, _PARENT = _ROWS.format("$child"), _ROWS.format("$parent")
_ORPHANS = """
select shard, count(*) from {child} c
where {sound} and not exists (select 1 from {parent} p where {same}) group by shard
"""
_DOUBLES = f"""
select shard, sum(n - 1) from (
  select shard, count(*) as n from {_CHILD} c where {{sound}} group by shard, {{keys}} having n > 1
) group by shard
"""
_TWICE = f"""
select shard, count(*) from {_CHILD}
where {{key}} in (
  select {{key}} from read_parquet($child) group by {{key}} having count(*) > 1
) group by shard
"""


def rows_without_parent(
    connection: duckdb.DuckDBPyConnection,
    stage: str,
    files: Mapping[str, Path],
    units: Mapping[str, Path],
    before: Mapping[str, Path],
) -> Iterator[tuple[Path, str]]:
    """Yield the files of a stage whose rows do not fit the pairs or the stage before, with the reason.

    Args:
        connection: reads the store.
        stage: name of the stage.
        files: its sound tables by shard.
        units: the sound tables of what its rows are about, pairs or situations, by shard.
        before: the sound tables of the stage before it (see `BEFORE`) by shard.
    """
    reasons_of: dict[str, list[str]] = defaultdict(list)
    table = STAGES[stage]
    unit = unit_of(table)
    keys = [unit.key, *(key for key in _FURTHER_KEYS if key in table)]
    sound = "c.error is null" if "error" in table else "true"

    def ask(sql: str, shards: Sequence[str], parents: Mapping[str, Path], noun: str) -> None:
        """Note the count of a query for each shard of the child."""
        if not shards:
            return
        values: dict[str, Any] = {"child": exact_patterns(files[name] for name in shards)}
        if "$parent" in sql:
            values["parent"] = exact_patterns(parents[shard_name] for shard_name in shards)
        for shard, number in connection.execute(sql, values).fetchall():
            reasons_of[shard].append(f"{number:,} {noun}")

    housed = sorted(files.keys() & units.keys())
    noun = f"of its rows belong to no {unit.name.removesuffix('s')}"
    ask(_orphans([unit.key], "true"), housed, units, noun)
    # A span is named by its number alone.
    identifying = [key for key in keys if key != "sentence" or "span_index" not in keys]
    doubles = _DOUBLES.format(sound=sound, keys=", ".join(identifying))
    ask(doubles, sorted(files), {}, "of its rows come twice")
    if keys == [unit.key]:
        lacking = _orphans([unit.key], "true", child=_PARENT, parent=_CHILD)
        ask(lacking, housed, units, f"{unit.name} of its shard have no row in it")
    if stage in BEFORE:
        other = [key for key in keys if key in STAGES[BEFORE[stage]]]
        noun = f"of its rows belong to no row of {BEFORE[stage]}"
        ask(_orphans(other, sound), sorted(files.keys() & before.keys()), before, noun)
    for shard, reasons in sorted(reasons_of.items()):
        yield files[shard], " and ".join(reasons)


def name_mismatch(path: Path, unit: ScoredUnit) -> str:
    """Return the reason that the rows of a sound file do not fit its name; empty if they do."""
    rows = read_table(path, unit.table, path.stem).to_pylist()
    if any(unit.identify(row) != row[unit.key] for row in rows):
        return f"a {unit.name.removesuffix('s')} in it does not have the id that its texts give"
    if shard_key([row[unit.key] for row in rows]) != path.stem:
        return f"its {unit.name} are not those of the shard that it is named by"
    return ""


def in_two_shards(
    connection: duckdb.DuckDBPyConnection, files: Mapping[str, Path], unit: ScoredUnit
) -> Iterator[tuple[Path, str]]:
    """Yield the shards that share pairs (or situations) with another one."""
    if not files:
        return
    values = {"child": exact_patterns(files.values())}
    for shard, number in sorted(connection.execute(_TWICE.format(key=unit.key), values).fetchall()):
        yield files[shard], f"{number:,} of its {unit.name} are in another shard too"


def _orphans(keys: Sequence[str], sound: str, child: str = _CHILD, parent: str = _PARENT) -> str:
    same = " and ".join(f"p.{key} = c.{key}" for key in ("shard", *keys))
    return _ORPHANS.format(child=child, parent=parent, sound=sound, same=same)
