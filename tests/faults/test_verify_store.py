"""Tests of ``q2 verify``, which finds damage, leftovers and unknown files of a store."""

import dataclasses
import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from qsquared.storage.files import parquet_writer
from qsquared.storage.files.atomic import temporary_path
from qsquared.storage.files.parquet_writer import write_table
from qsquared.storage.records.indexes.checks import Checks
from qsquared.storage.store import Store
from qsquared.storage.tables import (
    PAIRS,
    QUESTIONS,
    SCHEMA_VERSION,
    SCORES,
    SPANS,
    TURNS,
    Column,
    Table,
)
from qsquared.storage.upkeep.verify import MISFIT, verify
from qsquared.tasks.metrics import Q2
from tests.faults.small_store import copy_small, make_small, score_plainly, words_for_models


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A scored store, to be copied."""
    with words_for_models():
        yield make_small(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def small(whole, tmp_path):
    """A copy of the scored store."""
    return copy_small(whole, tmp_path)


def stage_files(store, stage):
    """The tables of a stage, in order."""
    return sorted(store.glob(f"stages/{stage}/*/*.parquet"))


def rewrite(store, path, table, change):
    """Write a table anew under its own key and name, with changed rows and a right hash."""
    key = Checks(Store(store)).table(path).key
    write_table(path, change(pq.read_table(path, partitioning=None).to_pylist()), table, key)


def test_a_sound_store_passes_and_is_left_as_it_is(small):
    """Exit code 0, no finding, not a byte written."""
    before = {path: path.read_bytes() for path in small.store.rglob("*") if path.is_file()}
    done = small.q2("verify")
    assert done.code == 0
    assert "all is sound" in done.out
    assert {path: path.read_bytes() for path in small.store.rglob("*") if path.is_file()} == before


def test_the_report_comes_as_json(small):
    """One object names each file with the kind of damage and what to do."""
    path = stage_files(small.store, "answers")[0]
    path.write_bytes(b"PAR1")
    done = small.q2("verify", "--json")
    told = json.loads(done.out)
    assert (done.code, told["sound"]) == (65, False)
    assert told["tables"] == len(small.files("turns", "rejects", "pairs", "known", "stages"))
    (found,) = told["findings"]
    assert found["path"] == str(path.relative_to(small.store))
    assert found["kind"] == "damaged"
    assert f"q2 score LOGS --store {small.store}" in found["todo"]


def test_quarantine_moves_away_what_is_wrong_and_scoring_makes_it_again(small, whole):
    """The command says where it put the file, then that something is missing, then nothing."""
    path = stage_files(small.store, "spans")[0]
    path.write_bytes(path.read_bytes()[:-1])
    first = small.q2("verify", "--quarantine")
    assert first.code == 65
    assert "Moved to quarantine/stages__spans__" in first.out
    assert not path.exists()
    second = small.q2("verify")
    assert second.code == 65
    assert "have lost tables: spans (1)" in second.out
    score_plainly(small)
    assert small.q2("verify").code == 0
    assert small.files() == whole.files()


STRANGER = {"pair_id": "ab" * 16}


def orphan(rows):
    """One more row, of a pair that no shard has."""
    return [*rows, rows[-1] | STRANGER]


def double(rows):
    """The last row twice."""
    return [*rows, rows[-1]]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "table", [stage.table for stage in Q2.stages], ids=lambda table: table.name
)
@pytest.mark.parametrize(
    ("change", "said"), [(orphan, "belong to no pair"), (double, "come twice")], ids=["orphan", "double"]
)  # fmt: skip
def test_rows_that_fit_no_pair_are_found_under_a_right_hash(whole, tmp_path, table, change, said):
    """A file that was written whole, under its own key, may still hold rows of something else."""
    small = copy_small(whole, tmp_path)
    path = stage_files(small.store, table.name)[0]
    rewrite(small.store, path, table, change)
    found = {
        finding.path: finding.problem
        for finding in verify(Store(small.store)).findings
        if finding.kind == MISFIT
    }
    assert said in found[str(path.relative_to(small.store))]


def test_pairs_without_a_score_and_rows_without_their_question_are_found(small):
    """Each pair has one score, and each row of a stage one in the stage before."""
    scores, questions = (
        stage_files(small.store, "scores")[0],
        stage_files(small.store, "questions")[0],
    )
    rewrite(small.store, scores, SCORES, lambda rows: rows[1:])
    rewrite(small.store, questions, QUESTIONS, lambda rows: rows[1:])
    said = " ".join(finding.problem for finding in verify(Store(small.store)).findings)
    assert "1 pairs of its shard have no row in it" in said
    assert "1 of its rows belong to no row of questions" in said


def test_pairs_that_are_not_those_of_their_name_are_found(small):
    """A shard is named by its pairs, a pair by its texts, and no pair is in two shards."""
    first, second = sorted((small.store / "pairs").iterdir())
    rewrite(small.store, first, PAIRS, lambda rows: [rows[0] | {"response": "x"}, *rows[1:]])
    more = pq.read_table(first, partitioning=None).to_pylist()[1:2]
    rewrite(small.store, second, PAIRS, lambda rows: rows + more)
    said = [
        (finding.path.split("/")[1], finding.problem)
        for finding in verify(Store(small.store)).findings
        if finding.path.startswith("pairs/")
    ]
    assert (first.name, "a pair in it does not have the id that its texts give") in said
    assert (second.name, "its pairs are not those of the shard that it is named by") in said
    assert (second.name, "1 of its pairs are in another shard too") in said


def test_turns_that_are_fewer_than_their_manifest_tells_of_are_found_and_refused(small):
    """An older, shorter reading of the same log under its name is not shown as the whole."""
    path = min((small.store / "turns").iterdir())
    rewrite(small.store, path, TURNS, lambda rows: rows[:-1])
    (found,) = verify(Store(small.store)).findings
    assert found.path == f"turns/{path.name}"
    assert found.kind == MISFIT
    asked = small.q2("sql", "FROM turns")
    assert asked.code == 65
    assert "it has 4 rows, where its manifest tells of 5" in asked.err
    score_plainly(small)
    assert small.q2("verify").code == 0


def test_a_manifest_whose_rows_do_not_add_up_is_found(small):
    """Each row of a log is a turn or a reject."""
    path = min((small.store / "inputs").iterdir())
    store = Store(small.store)
    store.write_json(path, store.read_json(path) | {"rows": 99})
    (found,) = verify(store).findings
    assert found.path == f"inputs/{path.name}"
    assert "tells of 99 rows, but of 5 turns and 1 rejects" in found.problem


def test_leftovers_and_strangers_are_notes(small):
    """Leftovers of dead processes and files of a person do not make a store unsound."""
    code = (
        "import pathlib, sys; from qsquared.storage.files.atomic import temporary_path;"
        "from qsquared.storage.files.shard_claims import Claim;"
        "root = pathlib.Path(sys.argv[1]); temporary_path(root / 'pairs' / 'x.parquet').touch();"
        "Claim(root, 'shard').take(); import os; os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(small.store)], check=True)
    mine = temporary_path(small.store / "pairs" / "y.parquet")
    mine.touch()
    (small.store / "mine.csv").touch()
    (small.store / "stages" / "notes.txt").touch()
    done = small.q2("verify")
    assert done.code == 0
    lines = [line.split(":")[0].split() for line in done.out.splitlines() if "→" not in line]
    kinds = {line[1]: line[0] for line in lines if len(line) == 2}
    leftover = [path for path, kind in kinds.items() if kind == "leftover"]
    assert sum(path.endswith(".tmp") for path in leftover) == 1
    assert "locks/shard.lock" in leftover
    assert {path for path, kind in kinds.items() if kind == "unknown"} == {
        "mine.csv",
        "stages/notes.txt",
    }
    assert small.q2("verify", "--quarantine").code == 0
    again = small.q2("verify").out
    assert "leftover" not in again
    assert mine.exists()
    assert (small.store / "mine.csv").exists()


def test_a_foreign_table_among_the_stores_own_is_wrong(small):
    """SQL would read it with the others, so its name is refused."""
    (small.store / "pairs" / "mine.parquet").write_bytes(
        min((small.store / "pairs").iterdir()).read_bytes()
    )
    assert small.q2("verify").code == 65
    asked = small.q2("sql", "FROM pairs")
    assert asked.code == 65
    assert "mine.parquet" in asked.err
    assert small.q2("verify", "--quarantine").code == 65
    assert small.q2("verify").code == 0
    assert small.q2("sql", "FROM pairs").code == 0


@pytest.mark.parametrize(
    ("version", "todo"),
    [(SCHEMA_VERSION + 1, "newer program"), (SCHEMA_VERSION - 1, "This program cannot read it")],
    ids=["newer", "older"],
)
@pytest.mark.parametrize("command", ["score", "sql", "status", "explain", "verify"])
def test_a_store_of_another_version_is_refused_by_every_command(small, command, version, todo):
    """The sentence names both versions and the command that scores into a new store."""
    Store(small.store).write_json(small.store / "store.json", {"schema_version": version})
    arguments = {"sql": ["FROM scores"], "explain": ["t1"]}.get(command, [])
    done = small.score() if command == "score" else small.q2(command, *arguments)
    assert done.code == 1
    assert f"has schema version {version}; this program writes {SCHEMA_VERSION}" in done.err
    assert todo in done.err
    assert "q2 score LOGS --store" in done.err
    assert not (small.store / "quarantine").exists()


def older_columns(store, path, key):
    """A table as a program with one column less would have written it."""
    columns = tuple(column for column in SPANS.columns if column.name != "label")
    write_table(path, [], Table("spans", "", columns), key)


def another_type(store, path, key):
    """A table in which a column has another type."""
    columns = (*SPANS.columns[:-1], Column("error", SPANS.columns[1].type, "", "never"))
    write_table(path, [], Table("spans", "", columns), key)


def older_version(store, path, key):
    """A table of an older schema version."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet_writer, "SCHEMA_VERSION", SCHEMA_VERSION - 1)
        write_table(path, [], SPANS, key)


def older_stage(store, path, key):
    """A table of an older version of its stage, whose key is another."""
    write_table(path, [], SPANS, key[::-1])


@pytest.mark.parametrize("write", [older_columns, another_type, older_version, older_stage])
def test_a_table_of_an_older_program_is_never_misread(small, whole, write):
    """Other columns, versions or stages under a right hash and name are refused and made again."""
    path = stage_files(small.store, "spans")[0]
    write(small.store, path, Checks(Store(small.store)).table(path).key)
    asked = small.q2("sql", "FROM spans")
    assert (asked.code, asked.out) == (65, "")
    assert path.name in asked.err
    score_plainly(small)
    assert small.files() == whole.files()


def test_a_store_without_a_sound_table_keeps_its_damaged_store_file(small):
    """The store file is not written again where no table states the version."""
    for path in small.store.rglob("*.parquet"):
        path.unlink()
    (small.store / "store.json").write_bytes(b"")
    done = small.score()
    assert done.code == 1
    assert "No table of the store tells its version" in done.err
    assert (small.store / "store.json").read_bytes() == b""


def test_a_limited_reading_that_grew_is_no_damage(small):
    """Turns that go further than their manifest, as a killed reading leaves them, can be asked."""
    path = min((small.store / "inputs").iterdir())
    store = Store(small.store)
    told = store.read_json(path)
    table = dict(told["turns_table"], rows=3)
    store.write_json(path, told | {"limit": 3, "turns": 3, "rows": 4, "turns_table": table})
    asked = small.q2("sql", "SELECT count(*) FROM turns", "--csv")
    assert (asked.code, asked.out.split()[1]) == (0, "10")
    score_plainly(dataclasses.replace(small))
    assert small.q2("verify").code == 0
