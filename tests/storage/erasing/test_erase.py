"""Tests of erased turns: nothing of them is left, and what other turns share stays."""

import json
from dataclasses import replace

import pytest

from qsquared.storage.records.inputs.manifests import all_manifests
from qsquared.storage.store import Store
from qsquared.storage.upkeep.verify import verify
from tests.faults.small_store import (
    copy_small,
    make_small,
    score_plainly,
    words_for_models,
)
from tests.storage.erasing.people import PERSON, make_people


@pytest.fixture(scope="module", autouse=True)
def _words():
    """No model is loaded here."""
    with words_for_models():
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store with the log of two persons besides the small ones."""
    return make_people(tmp_path_factory.mktemp("erasing"))


@pytest.fixture
def small(made, tmp_path):
    """A copy to erase from."""
    return copy_small(made, tmp_path)


def absent(small, tmp_path, *words):
    """Return what `q2 verify --absent` says of some words."""
    file = tmp_path / "words.txt"
    file.write_text("\n".join(words), encoding="utf-8")
    return small.q2("verify", "--absent", file)


def ids(small):
    """Return the ids of all turns that have a score."""
    told = small.q2("sql", "SELECT id FROM outcomes WHERE q2 IS NOT NULL ORDER BY id", "--csv")
    assert told.code == 0, told.err
    return told.out.split()[1:]


def test_words_are_found_before(small, tmp_path):
    """The search names tables and columns, and never the words."""
    found = absent(small, tmp_path, PERSON, "nobody says this")
    assert found.code != 0
    assert "column response: the text of line 1" in found.out
    assert "line 2" not in found.out
    assert PERSON not in found.out


def test_without_yes_nothing_changes(small):
    """The turns, rejects and pairs are counted, and every file stays."""
    before = small.files()
    done = small.q2("erase", "--conversation", "p")
    assert done.code == 0, done.err
    assert "Would erase 2 turns, 0 rejects and 1 distinct pair" in done.said
    assert small.files() == before


def test_a_conversation_leaves_no_word_and_no_hole(small, tmp_path):
    """No value and no byte has the person's words; all other turns keep their scores; all is sound."""
    assert len(ids(small)) == 13
    done = small.q2("erase", "--conversation", "p", "--where", "false", "--yes")
    assert done.code == 0, done.err
    left = ids(small)
    assert len(left) == 11
    assert "q1" in left
    # The reject of the same log names the person, too, but no conversation.
    assert absent(small, tmp_path, f"{PERSON} booked", f"What did {PERSON}").code == 0
    assert verify(Store.open(small.store)).sound
    assert "36 turns" not in small.q2("status").out


def test_one_turn_is_taken_out_of_later_histories(small, tmp_path):
    """A kept turn of the same conversation has no reply and no question of an erased one."""
    assert small.q2("erase", "--id", "p1", "--yes").code == 0
    assert absent(small, tmp_path, f"{PERSON} booked", f"What did {PERSON}").code == 0
    said = small.q2("sql", "SELECT history FROM turns WHERE id = 'p2'", "--csv").out
    assert "[erased]" in said
    assert "And?" in said


def test_a_log_goes_with_its_rejects_and_its_path(small, tmp_path):
    """Nothing of it is left, and the status knows it no more."""
    done = small.q2("erase", "--log", small.logs[0], "--yes")
    assert done.code == 0, done.err
    assert "comes back" in done.out
    assert absent(small, tmp_path, PERSON, "the 1 trains").code == 0
    assert str(small.logs[0]) not in small.q2("status").out
    assert verify(Store.open(small.store)).sound


def test_rejects_with_the_id_go_too(small, tmp_path):
    """A row that is no turn has its id in its raw text only."""
    assert small.q2("erase", "--id", "bad", "--yes").code == 0
    assert absent(small, tmp_path, '"name": "Wilhelmina"').code == 0


def test_a_condition_chooses_turns(small):
    """`--where` is SQL on the table `turns`."""
    assert small.q2("erase", "--where", "metadata->>'user' = 'u17'", "--yes").code == 0
    assert "q1" not in ids(small)
    refused = small.q2("erase", "--where", "no such column", "--yes")
    assert refused.code == 2


def test_a_turn_without_a_time_is_as_old_as_its_reading(small):
    """Retention leaves what was read just now; it reaches replaced contents of logs, too."""
    nothing = small.q2("erase", "--older-than", "1d").out
    assert "Would erase 0 turns" in nothing
    assert "Nothing fits." in nothing
    assert "Would erase 18 turns" in small.q2("erase", "--older-than", "0d").out


def test_scoring_again_brings_nothing_back(small):
    """The same content of a log stays without its erased rows, also where its table is lost."""
    assert small.q2("erase", "--conversation", "p", "--yes").code == 0
    score_plainly(small)
    assert len(ids(small)) == 11
    for manifest in all_manifests(Store.open(small.store)):
        Store.open(small.store).table_path("turns", manifest.fingerprint).unlink()
    score_plainly(small)
    assert len(ids(small)) == 11


def test_the_record_has_no_word_and_no_id(small):
    """It has the time, the kind of the wish and numbers."""
    assert small.q2("erase", "--conversation", "p", "--yes").code == 0
    (record,) = (json.loads(path.read_text()) for path in small.store.glob("erasures/*.json"))
    assert {name: record[name] for name in ("status", "by", "turns", "pairs", "logs")} == {
        "status": "done",
        "by": ["conversations"],
        "turns": 2,
        "pairs": 1,
        "logs": 1,
    }
    assert not {"inputs", "redacted"} & record.keys()


@pytest.mark.slow
def test_an_erasure_broken_off_anywhere_goes_on(small, tmp_path, monkeypatch):
    """After an end at any step `verify` names it, and `q2 erase --yes` finishes it."""
    from qsquared.storage.erasing import erase as erasing

    for step in (
        "redact_histories",
        "erase_rows",
        "erase_units",
        "erase_judgements",
        "_correct_runs",
    ):
        at = copy_small(small, tmp_path / step)
        with monkeypatch.context() as patch:
            patch.setattr(erasing, step, lambda *_more, **_named: 1 / 0)
            assert at.q2("erase", "--conversation", "p", "--yes").code == 70
        assert "this erasure was interrupted" in at.q2("verify").out
        done = at.q2("erase", "--yes")
        assert done.code == 0, done.err
        assert absent(at, tmp_path, f"{PERSON} booked").code == 0
        assert len(ids(at)) == 11
        assert verify(Store.open(at.store)).sound


def test_files_that_were_written_from_the_store_are_named(small, tmp_path):
    """A report, an export and a form with an erased reply are named, before and after, and no other file."""
    written = [tmp_path / name for name in ("report.html", "scores.csv", "form.html")]
    for path, command in zip(
        written,
        (["report", "--threshold", 1], ["export"], ["label", "draw", "--n", 99]),
        strict=True,
    ):
        profile = [] if command[0] == "report" else ["--profile", "small"]
        done = small.q2(*command, *profile, "--out", path)
        assert done.code == 0, done.err
    other = tmp_path / "other.parquet"
    assert small.q2("sql", "SELECT 1 AS one", "--parquet", other).code == 0
    for more in ([], ["--yes"]):
        said = small.q2("erase", "--conversation", "p", *more).said
        assert all(f"{path} was written from the store" in said for path in written), said
        assert str(other) not in said
    found = absent(small, tmp_path, f"{PERSON} booked")
    assert found.code != 0
    assert all(str(path) in found.out for path in written)
    for path in written:
        path.unlink()
    assert absent(small, tmp_path, f"{PERSON} booked").code == 0


def test_a_cut_copy_is_erased_by_its_path(tmp_path):
    """A copy that lay beside the right log for a minute goes alone, and the log itself with all that it held."""
    small = make_small(tmp_path)
    cut = tmp_path / "a-cut.jsonl"
    cut.write_text("".join(small.logs[0].read_text().splitlines(keepends=True)[:3]))
    again = replace(small, logs=(cut, *small.logs))
    assert "beginning of" in score_plainly(again)
    cut.unlink()
    assert len(list(small.store.glob("turns/*"))) == 3
    done = small.q2("erase", "--log", cut, "--yes")
    assert done.code == 0, done.err
    assert len(list(small.store.glob("turns/*"))) == 2
    assert len(ids(small)) == 10
    assert small.q2("erase", "--log", small.logs[0], "--yes").code == 0
    assert absent(small, tmp_path, "the 1 trains").code == 0
    assert len(ids(small)) == 5
