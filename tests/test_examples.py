"""Tests that the example log fits examples/README.md."""

import csv
import json
import re
from collections import Counter

import pytest

from qsquared.method.plain.reply_claims import text_of_claims
from qsquared.storage.files.parquet import read_table
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.store import Store
from qsquared.storage.tables import REJECTS, TURNS
from tests.conftest import ROOT

README = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
LOGS = sorted((ROOT / "examples" / "logs").iterdir())


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Turns and rejects of each log by its name."""
    store = Store.open(tmp_path_factory.mktemp("examples"), create=True)
    found = {}
    for path in LOGS:
        name = ingest_file(store, path).fingerprint
        found[path.name] = (
            read_table(store.table_path("turns", name), TURNS, name).to_pylist(),
            read_table(store.table_path("rejects", name), REJECTS, name).to_pylist(),
        )
    return found


@pytest.fixture(scope="module")
def turns(tables):
    """All turns with their metadata read."""
    return [turn | json.loads(turn["metadata"]) for found, _ in tables.values() for turn in found]


def numbers(start):
    """The numbers of the README's table row that begins so."""
    (line,) = [x for x in README.splitlines() if x.replace("*", "").startswith(f"| {start} |")]
    return [int(cell) for cell in re.findall(r"\| \**(\d+)\** (?=\|)", line)]


def test_each_log_has_the_documented_turns_and_bad_rows(tables, turns):
    """The first table of the README, row by row and in sum."""
    for name, (found, rejects) in tables.items():
        newer = sum(json.loads(turn["metadata"])["bot_version"] == "1.5" for turn in found)
        assert numbers(f"`logs/{name}`") == [len(found), newer, len(rejects)]
    newer = sum(turn["bot_version"] == "1.5" for turn in turns)
    assert numbers("together") == [len(turns), newer, 5]


def test_labels_are_as_frequent_as_documented_on_each_day(turns):
    """The table of what replies do."""
    days = sorted({turn["timestamp"].date() for turn in turns})
    counted = Counter((turn["expected"], turn["timestamp"].date()) for turn in turns)
    for label in {turn["expected"] for turn in turns}:
        row = next(
            x for x in README.splitlines() if x.startswith(f"| `{label}` |") and x.count("|") > 4
        )
        told = [int(cell) for cell in re.findall(r"\| (\d+) (?=\|)", row)]
        by_day = [counted[label, day] for day in days]
        assert told == [*by_day, sum(by_day)]


def test_bot_versions_are_as_documented(turns):
    """The table by bot version adds up to the log."""
    counted = Counter((turn["expected"], turn["bot_version"]) for turn in turns)
    main = ("faithful", "contradiction", "hallucination")
    section = README.split("| `expected` | bot 1.4 | bot 1.5 |")[1]
    for label in main:
        told = re.search(rf"\| `{label}` \| (\d+) \| (\d+) \|", section).groups()
        assert tuple(map(int, told)) == (counted[label, "1.4"], counted[label, "1.5"])
    told = re.search(r"\| others \| (\d+) \| (\d+) \|", section).groups()
    for number, version in zip(told, ("1.4", "1.5"), strict=True):
        others = sum(n for (label, v), n in counted.items() if v == version and label not in main)
        assert int(number) == others


def test_the_log_is_large_and_varied_enough_to_show_something(turns):
    """At least 120 turns over several days, by two versions of the bot, in several conversations."""
    assert len(turns) >= 120
    assert {turn["bot_version"] for turn in turns} == {"1.4", "1.5"}
    assert len({turn["timestamp"].date() for turn in turns}) >= 3
    assert len({turn["topic"] for turn in turns}) >= 5
    assert sum(len(turn["history"]) > 1 for turn in turns) > 20
    assert sum(len(turn["knowledge"]) > 1 for turn in turns) >= 3


def test_each_kind_of_bad_row_occurs(tables):
    """Broken JSON, a missing field, mistyped fields and a CSV row with too many fields."""
    reasons = [row["reason"] for _, rejects in tables.values() for row in rejects]
    for kind in (
        "not valid JSON", "'response' is missing", "'turn' is ", "'response' is a list",
        r"has \d+ fields",
    ):  # fmt: skip
        assert sum(bool(re.search(kind, reason)) for reason in reasons) == 1, (kind, reasons)
    assert len(reasons) == 5


def test_what_is_awkward_on_purpose_is_there(turns):
    """Doubled ids and replies, unscored turns, a long text, characters outside ASCII, markup."""
    assert len(turns) - len({turn["id"] for turn in turns}) == 1
    pairs = [turn["pair_id"] for turn in turns if turn["pair_id"]]
    told = re.search(r"the (\d+) turns reduce to (\d+) pairs", README).groups()
    # Unscored turns reduce to no pair.
    assert tuple(map(int, told)) == (len(turns), len(set(pairs)))
    assert Counter(turn["status"] for turn in turns) == {
        None: len(pairs), "empty_response": 3, "no_knowledge": 3,
    }  # fmt: skip
    assert max(len(text) for turn in turns for text in turn["knowledge"]) > 1000
    said = " ".join(turn["response"] for turn in turns)
    assert any(ord(character) > 0xFFFF for character in said)
    assert "\N{RIGHT SINGLE QUOTATION MARK}" in said or "\N{LEFT DOUBLE QUOTATION MARK}" in said
    assert re.search(r"<\w+", said)


def test_no_row_is_lost(tables):
    """Lines and records in are turns and rejects out."""
    for path in LOGS:
        turns, rejects = tables[path.name]
        with path.open(encoding="utf-8", newline="") as handle:
            rows = (
                sum(1 for _ in csv.reader(handle)) - 1
                if path.suffix == ".csv"
                else sum(bool(line.strip()) for line in handle)
            )
        assert len(turns) + len(rejects) == rows


def test_a_dressed_reply_claims_what_the_plain_one_does():
    """Each reply of the dressed day names its plain one in the help desk's log, or claims nothing."""
    plain, dressed = (
        [
            json.loads(line)
            for path in sorted(folder.iterdir())
            for line in path.open(encoding="utf-8")
        ]
        for folder in (ROOT / "examples" / "desk", ROOT / "examples" / "dressed")
    )
    said = {turn["id"]: turn["response"] for turn in plain}
    assert len(dressed) == 20
    for turn in dressed:
        claims = text_of_claims(turn["response"], "claims")
        plain_claims = text_of_claims(said[turn["same_as"]], "claims") if turn["same_as"] else ""
        assert claims == plain_claims, turn["dress"]
