"""``python -m lab.training.measure`` on the published formats in miniature, with models that read words."""

import json
import sys

import pytest

from lab.training.measure import COLUMNS, main
from qsquared.method import bootstrap
from tests.faults.small_store import words_for_models
from tests.lab.evaluation.small_data import write_csv, write_jsonl, write_wow


@pytest.fixture
def data(tmp_path):
    """All four sets, in the folders of the training data."""
    folders = {name: tmp_path / "data" / name for name in ("q2-wow", "begin", "qags")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    write_wow(folders["q2-wow"])
    row = {"knowledge": "Tea is from China.", "dodeca_label": "0", "memnet_label": "1",
           "dodeca_response": "Tea is from China.", "memnet_response": "Tea is from Peru."}  # fmt: skip
    write_csv(folders["q2-wow"] / "cross_annotation.csv", [row] * 2)
    begin = [
        {"evidence": evidence, "previous turn": "Who?", "response": response, "gold label": label}
        for evidence, response, label in (
            ("Bob paints houses.", "Bob paints houses.", "entailment"),
            ("Tea is old.", "hm nice", "generic"),
            ("Tea is from China.", "Ann sings", "hallucination"),
        )
    ]  # fmt: skip
    write_csv(folders["begin"] / "begin_v1_dev.tsv", begin, "\t")
    summaries = [
        {"article": "Bob was here", "summary_sentences": [
            {"sentence": sentence, "responses": [{"worker_id": 0, "response": vote}]}
            for sentence, vote in sentences
        ]}
        for sentences in (
            [("Bob was here", "yes"), ("Bob was", "yes")],
            [("Bob was", "yes"), ("Ann sang", "no")],
            [("Ann sang there", "no")],
        )
    ]  # fmt: skip
    write_jsonl(folders["qags"] / "mturk_cnndm.jsonl", summaries)
    return tmp_path / "data"


def test_every_set_has_its_figures(data, tmp_path, monkeypatch, capsys):
    """Each measure has a value and an interval; a summary is the mean of its sentences."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 20)
    out = tmp_path / "figures.json"
    sets = ("q2-wow", "cross-annotation", "begin-v1-dev", "qags-cnndm")
    given = ["--data", data, "--store", tmp_path / "store", "--json", out, "--sets", *sets]
    monkeypatch.setattr(sys, "argv", ["measure", *map(str, given)])
    with words_for_models():
        main()
    found = {result["set"]: result for result in json.loads(out.read_text(encoding="utf-8"))}
    assert {name: result["items"] for name, result in found.items()} == {
        "q2-wow": 8, "cross-annotation": 4, "begin-v1-dev": 3, "qags-cnndm": 5,
    }  # fmt: skip
    assert all(set(COLUMNS) <= result.keys() for result in found.values())
    assert found["cross-annotation"]["token overlap"]["value"] == 1.0
    summaries = found["qags-cnndm"]
    assert summaries["statistic"] == "Pearson"
    assert summaries["token overlap"]["value"] > 0.9
    assert "1.000 (" in capsys.readouterr().out


def test_the_defaults_have_support_beside_the_papers_measures(data, tmp_path, monkeypatch, capsys):
    """A reply that claims nothing by the defaults counts as undecided, so that every item has a value."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 20)
    out = tmp_path / "figures.json"
    given = ["--data", data, "--store", tmp_path / "store", "--json", out, "--defaults"]
    monkeypatch.setattr(sys, "argv", ["measure", *map(str, given), "--sets", "begin-v1-dev"])
    with words_for_models():
        main()
    (result,) = json.loads(out.read_text(encoding="utf-8"))
    assert 0 <= result["support"]["value"] <= 1
    assert "support" in capsys.readouterr().out
