"""BEGIN's benchmark: the reader, the statistics, and the report from the data to its tables."""

import json

import numpy as np
import pytest
from sklearn.metrics import f1_score

from qsquared.errors import InputError
from qsquared.evaluation.data.loaders import read_begin
from qsquared.evaluation.protocols.begin import WITH_TURN, accuracy, macro_f1
from qsquared.method import bootstrap
from tests.calling import q2
from tests.faults.small_store import words_for_models

HEAD = "evidence\tprevious turn\tresponse\tgold label\tfull label set"
ROWS = [
    ("Bob paints houses.", "Who paints?", "Bob paints", "entailment"),
    ("Bob paints houses.", "Who paints?", "hm nice", "generic"),
    ("Tea is old.", "", "Ann sings", "hallucination"),
    ("Tea is old.", "Is it?", "Ann sings", "contradiction"),
]


def write_begin(folder, rows=ROWS, name="begin_v1_dev.tsv"):
    """A file in the published format."""
    lines = ["\t".join((*row, "not-generic;on-topic")) for row in rows]
    (folder / name).write_text("\n".join([HEAD, *lines]) + "\n", encoding="utf-8")
    return folder


def test_the_turn_before_and_both_labels_are_read(tmp_path):
    """A blank turn before is none; replies on one evidence are one context."""
    data = read_begin(write_begin(tmp_path))
    first, second, third, fourth = data.items
    assert (first.knowledge, first.previous) == ("Bob paints houses.", "Who paints?")
    assert (first.label, second.label, fourth.label) == (1.0, 0.5, 0.0)
    assert third.previous is None
    assert second.facts == {"split": "dev", "label": "generic", "label3": "neutral"}
    assert len({item.cluster for item in data.items}) == 2
    assert any("test set is not there" in note for note in data.notes)
    assert any("not the published file" in note for note in data.notes)


def test_the_test_set_is_read_beside_it(tmp_path):
    """Under its published name too, and alone if it alone is given."""
    write_begin(tmp_path, ROWS[:1])
    write_begin(tmp_path, ROWS[1:2], "test_05_24_21.tsv")
    assert [item.facts["split"] for item in read_begin(tmp_path).items] == ["dev", "test"]
    (alone,) = read_begin(tmp_path / "test_05_24_21.tsv").items
    assert alone.facts["split"] == "test"


def test_the_turn_before_is_a_part_of_the_premise_of_the_papers_classifiers(tmp_path):
    """It follows the evidence; where there is none, the evidence stands alone."""
    texts = WITH_TURN.texts(read_begin(write_begin(tmp_path)).items)
    assert texts[0].knowledge == "Bob paints houses. Who paints?"
    assert texts[2].knowledge == "Tea is old."


def test_other_labels_are_refused(tmp_path):
    """Labels of the later version are not accepted in place of the first version's."""
    write_begin(tmp_path, [("k", "p", "r", "Fully attributable")])
    with pytest.raises(InputError, match="row 1: the label is 'fully attributable'"):
        read_begin(tmp_path)
    with pytest.raises(InputError, match=r"begin_v1_dev\.tsv of begin is not in"):
        read_begin(tmp_path / "nowhere")


def test_macro_f1_is_scikit_learns():
    """Over the classes that occur on either side."""
    rng = np.random.default_rng(1)
    labels, values = (rng.integers(0, 5, 200).astype(float) for _ in range(2))
    assert macro_f1(labels, values) == pytest.approx(f1_score(labels, values, average="macro"))
    assert accuracy(labels, labels) == macro_f1(labels, labels) == 1


def test_begin_is_measured_and_reported(tmp_path, monkeypatch):
    """Both forms with their floors, and who is taken for whom."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 20)
    profile = tmp_path / "profiles.toml"
    profile.write_text(
        '[mine]\nlike = "compact"\ndescription = "words"\nreply_classification = '
        '{ implementation = "sequence-classification", checkpoint = "bundled:compact-nli" }\n'
    )
    out = tmp_path / "report.json"
    with words_for_models():
        done = q2(
            "evaluate", "begin", "--data", write_begin(tmp_path), "--store", tmp_path / "store",
            "--out", out, "--profile", "mine", "--profiles", profile,
        )  # fmt: skip
    assert done.code == 0, done.err
    report = json.loads(out.read_text(encoding="utf-8"))
    found = {
        (table["title"], row["part"], row["metric"]): row["figure"]
        for table in report["tables"]
        for row in table["rows"]
    }
    # Entailed, generic and one "Ann sings" of two are told; the last is called entailed.
    assert found["Table 3, dev", "five-way accuracy", "begin"]["value"] == 0.75
    assert found["Table 3, dev", "three-way accuracy", "begin"]["value"] == 0.75
    assert found["Table 3, dev", "five-way accuracy", "majority"]["value"] == 0.25
    nli = "end-to-end NLI, the turn before read, too"
    for name in ("begin", "end-to-end NLI", nli, "overlap"):
        matrix = f"Figure 2, dev: who is taken for whom by {name}"
        assert sum(row["support"] for key, row in found.items() if key[0] == matrix) == len(ROWS)
    matrix = "Figure 2, dev: who is taken for whom by begin"
    assert found[matrix, "contradiction", "called entailment"]["support"] == 1
    matrix = "Figure 2, dev: who is taken for whom by end-to-end NLI"
    assert (matrix, "generic", "called neutral") in found
    assert (matrix, "generic", "called hallucination") not in found
