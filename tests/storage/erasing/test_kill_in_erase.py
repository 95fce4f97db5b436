"""Tests of an erasure that is killed by the system before every fourth of its changes of files."""

import csv
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from qsquared.storage.records.request_journal import RequestJournal
from qsquared.storage.store import Store
from tests.faults.small_store import words_for_models
from tests.storage.erasing.people import PERSON, make_people

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

KILLER = """
import itertools, os, shutil, signal, sys
import duckdb, pyarrow.compute, pyarrow.parquet
import qsquared.cli.commands.verify_gc_erase
import qsquared.storage.erasing.choosing, qsquared.storage.erasing.erase, qsquared.storage.upkeep.verify
from qsquared.cli.main import main

CHANGES = {"os.rename", "os.remove", "os.rmdir"}


def q2(*arguments, changes=None):
    # Runs a command in a process of its own, which kills itself before the change of that number.
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    left = itertools.count(changes or 0, -1)
    def look(event, _):
        if event in CHANGES and not next(left):
            os.kill(os.getpid(), signal.SIGKILL)
    if changes is not None:
        sys.addaudithook(look)
    sys.argv = ["q2", *arguments, "--store", at]
    code = 70
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    finally:
        os._exit(code)


made, at, words = sys.argv[1:]
wish = ("erase", "--conversation", "p", "--id", "bad", "--yes")
for changes in itertools.count(0, 4):
    shutil.rmtree(at, ignore_errors=True)
    shutil.copytree(made, at)
    code = q2(*wish, changes=changes)
    if code != -signal.SIGKILL:
        break
    codes = q2(*wish), q2("verify", "--absent", words), q2("verify")
    print("killed before change", changes, codes, flush=True)
    if any(codes):
        sys.exit(f"killed before change {changes}: {codes}")
print("kills:", changes, "last:", code)
"""


def fill(small, tmp_path):
    """Put the person's words into every other place of a store that may hold some; return the pair's id."""
    store = Store.open(small.store)
    found = small.q2("sql", "SELECT pair_id FROM turns WHERE id = 'p1'", "--csv").out.split()[1]
    (pairs,) = (
        path
        for path in store.tables("pairs")
        if found in pq.read_table(path).column("pair_id").to_pylist()
    )
    form = tmp_path / "form.csv"
    profile = ("--profile", "small")
    assert small.q2("label", "draw", "--n", 99, "--out", form, *profile).code == 0
    with form.open(encoding="utf-8", newline="") as handle:
        drawn = list(csv.DictReader(handle))
    assert any(PERSON in str(row) for row in drawn)
    judged = tmp_path / "Ann.csv"
    with judged.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, drawn[0])
        writer.writeheader()
        writer.writerows([row | {"verdict": "consistent", "annotator": "Ann"} for row in drawn])
        writer.writerow(drawn[0] | {"verdict": f"as {PERSON} booked", "annotator": "Bob"})
    assert small.q2("label", "read", judged).code in {0, 65}
    for file in (form, judged):
        file.unlink()
    store.write_json(store.root / "anchors" / f"{'0' * 64}.json", {"scores": {found: 0.5}})
    journal = RequestJournal(store)
    said = {"key": "k", "sound": True, "answer": f"{PERSON} booked the 91 trains"}
    journal.add(said | {"shard": pairs.stem})
    journal.add(said | {"shard": "anchors"})
    (lines,) = small.store.glob("requests/*.jsonl")
    torn = lines.with_name("torn.jsonl")
    torn.write_bytes(lines.read_bytes()[:-40])
    for name in (
        "quarantine/a.parquet", "prefect/prefect.db", "prefect-2/storage/x", ".spill-1/y",
        "evaluated/z.jsonl",
    ):  # fmt: skip
        path = small.store / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{PERSON} booked {found}")
    (small.store / "stages" / ".x.parquet.host-1-abcd1234.tmp").write_text(f"{PERSON} booked")
    return found


def test_an_erasure_that_is_killed_before_any_change_of_a_file_is_finished(tmp_path):
    """The same command afterwards leaves no word in any place, nor the hash of the texts, and a sound store."""
    with words_for_models():
        small = make_people(tmp_path)
        found = fill(small, tmp_path)
    words = tmp_path / "words.txt"
    words.write_text(f"{PERSON}\n{found}\n")
    before = small.q2("verify", "--absent", words)
    places = {
        Path(line.split(",")[0].split(": the text")[0]).relative_to(small.store).parts[0]
        for line in before.out.splitlines()
        if ": the text of line" in line
    }
    assert {
        "turns", "rejects", "pairs", "stages", "draws", "labels", "label_rejects", "anchors",
        "requests", "quarantine", "prefect", "prefect-2", ".spill-1", "evaluated",
    } <= places, places  # fmt: skip
    command = [sys.executable, "-c", KILLER, small.store, tmp_path / "at" / "store", words]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    kills, last = done.stdout.splitlines()[-1].removeprefix("kills: ").split(" last: ")
    assert int(kills) > 30, done.stdout
    assert last == "0"
