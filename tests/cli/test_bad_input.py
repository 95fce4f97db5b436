"""Tests of logs with errors, which are named and counted while the rest is scored."""

import json
import re
import shlex

import polars as pl
import pytest

from tests.calling import q2
from tests.cli.conftest import KNOWLEDGE


def rejects(awkward):
    """The rejects of the awkward logs, by file and line."""
    done = q2(
        "sql", "SELECT source, line, reason, raw FROM rejects ORDER BY 1, 2", "--json",
        "--store", awkward.store,
    )  # fmt: skip
    assert done.code == 0
    rows = [json.loads(line) for line in done.out.splitlines()]
    return {(row["source"].rsplit("/", 1)[1], row["line"]): row for row in rows}


@pytest.mark.parametrize(
    ("file", "line", "reason"),
    [
        ("a.jsonl", 2, r"The line is not valid JSON: .* at character \d+\."),
        ("a.jsonl", 3, r"Field 'response' is missing\."),
        ("a.jsonl", 4, r"Field 'response' is a list, not a text\."),
        ("a.jsonl", 5, r"Field 'turn' is 'three', not a whole number\."),
        ("a.jsonl", 6, r"Field 'conversation_id' is a list, not a text or whole number\."),
        ("a.jsonl", 11, r"The line is a list, not a JSON object\."),
        ("b.csv", 3, r"The row has 4 fields, the header has 3\."),
        ("d.csv", 3, r"The row has 4 fields, the header has 3\."),
    ],
)
def test_a_row_that_cannot_be_read_is_a_reject_with_file_line_and_reason(
    awkward, file, line, reason
):
    """The reason is a sentence, and the row itself is kept beside it."""
    row = rejects(awkward)[file, line]
    assert re.fullmatch(reason, row["reason"])
    assert row["raw"] == (awkward.logs / file).read_text().splitlines()[line - 1]


def test_every_row_is_a_turn_or_a_reject(awkward):
    """Rows in are turns and rejects out, over all files but the copy."""
    rows = 12 + 4 + 0 + 4
    assert pl.read_parquet(awkward.table).height + len(rejects(awkward)) == rows
    assert re.search(r"^rejects +8 ", awkward.outcome.out, re.MULTILINE)
    assert re.search(r"^turns +12 \(3 distinct pairs\)", awkward.outcome.out, re.MULTILINE)


def test_a_copy_of_a_log_is_named_and_counted_once(awkward):
    """The warning names both files and the command that counts the copy, too."""
    first, copy = awkward.logs / "b.csv", awkward.logs / "e.csv"
    assert f"{copy} has the same content as {first}" in awkward.outcome.said
    assert f"q2 ingest {copy} --as-another-log" in awkward.outcome.said
    assert {file for file, _ in rejects(awkward)} == {"a.jsonl", "b.csv", "d.csv"}


def test_an_empty_log_is_named_in_the_summary(awkward):
    """A night without a log line is no silent success."""
    assert re.search(r"^empty logs +1  \S+/c\.jsonl", awkward.outcome.out, re.MULTILINE)


def test_a_run_over_empty_logs_only_says_so(tmp_path):
    """Nothing to score is no silent success, and nothing is started."""
    for name in ("x.jsonl", "y.csv"):
        (tmp_path / name).touch()
    done = q2("score", tmp_path, "--store", tmp_path / "store", "--out", tmp_path / "out.csv")
    assert done.code == 65
    assert "There is nothing to read: 2 logs without a row" in done.said
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("name", "content", "code", "told"),
    [
        ("x.jsonl", bytes(range(256)) * 64, 1, "holds no readable text"),
        ("x.bin", b"\x7fELF" + bytes(2000), 1, "holds no readable text"),
        ("x.zip", b"PK\x03\x04 stored", 1, "unzip -d x "),
        ("x.db", b"SQLite format 3\x00" + bytes(200), 1, "Close the program that writes it"),
        ("x.txt", b"hello\n", 65, "The type of the log"),
        ("x.parquet", b"not parquet at all", 1, "cannot be read"),
        ("x.jsonl.gz", b"\x1f\x8b broken", 1, "cannot be read"),
    ],
)
def test_a_file_that_is_no_log_is_named_with_a_hint(tmp_path, name, content, code, told):
    """The person learns which file, why, and what to do; a text of an unknown type may be a log to state."""
    path = tmp_path / name
    path.write_bytes(content)
    done = q2("score", path, "--store", tmp_path / "store")
    assert done.code == code
    assert done.err.startswith("q2: ")
    assert told in done.said
    assert str(path) in done.err
    assert len(done.err.strip().splitlines()) >= 2
    assert "Traceback" not in done.err


def test_no_file_and_an_empty_folder_are_reported(tmp_path):
    """A path that names no log is an error, never an empty success."""
    (tmp_path / "empty").mkdir()
    for argument in ("nothing.jsonl", "no*.csv", "empty"):
        done = q2("score", tmp_path / argument, "--store", tmp_path / "store")
        assert done.code == 1
        assert f"There is no log at {tmp_path / argument}." in done.err


def test_a_folder_without_a_log_is_told_apart(tmp_path):
    """The message says that it is empty, or names the files that are there."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "read me.txt").write_text("hi")
    for folder, told in (("empty", "The folder is empty."), ("notes", "extension: read me.txt.")):
        done = q2("ingest", tmp_path / folder, "--store", tmp_path / "store")
        assert done.code == 1
        assert told in done.err


def test_a_workbook_is_named_with_the_way_out(tmp_path):
    """Its cells cannot be read, but the program that wrote it can save them as CSV."""
    book = tmp_path / "book.xlsx"
    book.write_bytes(b"PK\x03\x04zzz")
    done = q2("ingest", book, "--store", tmp_path / "store")
    assert done.code == 1
    assert "workbook" in done.err
    assert "Save the sheet as CSV" in done.err
    assert "all others" not in done.err


def test_a_mapping_that_nothing_needs_is_to_be_left_out(tmp_path):
    """A log in our own names needs no --map, and a misspelt one keeps it from being read."""
    log = tmp_path / "a.jsonl"
    log.write_text(json.dumps({"id": "1", "knowledge": KNOWLEDGE, "response": "Yes."}) + "\n")
    done = q2("ingest", log, "--map", "reply=response", "--store", tmp_path / "store")
    assert done.code == 65
    assert "Leave out --map reply=response" in done.err
    assert "Did you mean" not in done.err


def test_a_log_cut_short_gives_what_can_be_read(tmp_path):
    """The last line, broken off, is a reject; the turns before it are scored."""
    log = tmp_path / "cut.jsonl"
    row = json.dumps({"id": "1", "knowledge": KNOWLEDGE, "response": "  "})
    log.write_text(row + "\n" + row[:30])
    done = q2("score", log, "--store", tmp_path / "store")
    assert done.code == 0
    assert re.search(r"^turns +1 ", done.out, re.MULTILINE)
    assert re.search(r"^rejects +1 ", done.out, re.MULTILINE)


def test_a_log_without_any_knowledge_is_refused_before_anything_starts(tmp_path):
    """The fields are listed with an example each, and the exit code is 65."""
    log = tmp_path / "none.jsonl"
    log.write_text(json.dumps({"id": "1", "response": "It was built in 1858."}) + "\n")
    done = q2("score", log, "--store", tmp_path / "store")
    assert done.code == 65
    assert "gives 1 turn and no knowledge with any" in done.said
    assert re.search(r"response +It was built in 1858\.", done.err)
    assert not (tmp_path / "store").exists()


def test_an_unreadable_log_does_not_keep_the_others_from_being_scored(tmp_path, write_log):
    """The good log is scored, the bad one named with its reason, and the exit code is 1."""
    good = write_log("good.jsonl", 3)
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(bytes(range(256)) * 40)
    out = tmp_path / "scores.jsonl"
    for _ in range(2):
        outcome = q2("score", bad, good, "--store", tmp_path / "store", "--out", out)
        assert outcome.code == 1
        assert "1 log could not be read, all others are scored" in outcome.err
        assert str(bad) in outcome.said
        assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == [
            "t0",
            "t1",
            "t2",
        ]
    assert "3 turns in 1 of 1 shard" in outcome.said


def test_a_table_that_cannot_be_written_is_reported_before_any_work(tmp_path, write_log):
    """Nobody waits for hours to learn that the target is a folder."""
    (tmp_path / "z.csv").mkdir()
    outcome = q2(
        "score", write_log("log.jsonl", 2), "--store", tmp_path / "new", "--out", tmp_path / "z.csv"
    )
    assert outcome.code == 2
    assert "cannot be written" in outcome.err
    assert not (tmp_path / "new").exists()


def test_turns_without_ids_lead_to_the_fields_that_name_them(tmp_path):
    """A log whose mapping leaves out the id is read, and the next command reads it by its own ids."""
    log, store = tmp_path / "desk.jsonl", tmp_path / "store"
    rows = [
        {
            "msg": f"m{n}",
            "chat": f"c{n // 2}",
            "channel": ("web", "phone")[n % 2],
            "when": f"2026-10-01 {n + 7}:00",
            "said": f"A card costs {n} euros.",
            "docs": KNOWLEDGE,
        }
        for n in range(8)
    ]
    log.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    stated = ("ingest", log, "--map", "said=response", "--map", "docs=knowledge", "--store", store)
    done = q2(*stated)
    line = done.out.splitlines()[-1]
    assert line.startswith("Turns are named by their lines. By their own ids?  q2 ingest ")
    assert line.endswith("--map msg=id --map chat=conversation_id --map when=timestamp")
    again = q2(*shlex.split(line.partition("?  q2 ")[2]))
    assert (again.code, "own ids" in again.out) == (0, False)
    asked = q2("sql", "SELECT count(*), min(id), min(timestamp) FROM turns", "--store", store)
    assert asked.out.split()[-4:] == ["8", "m0", "2026-10-01", "07:00:00+00:00"]
