"""Tests of the training on GLUE: splits, batches of one task, and the export."""

import gzip
import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer

from lab.training import glue
from lab.training.encoders.base import unpacked
from lab.training.encoders.fit import Settings
from lab.training.export import export_model, pack
from lab.training.glue import figures, word_overlap
from lab.training.mixture.glue import (
    Rated,
    apart,
    columns,
    measured_sets,
    outputs,
    qnli_pairs,
    training_sets,
)
from lab.training.mixture.reading import Reading
from qsquared.language.judging.glue_classifiers import TaskRatings
from qsquared.profiles.model_parameters import IndicatorReading, WindowParameters
from qsquared.profiles.profile import IndicatorModel
from qsquared.records import RatingRequest
from tests.language.tiny_models import bert_nli

pytestmark = pytest.mark.slow

SHARED = ("bert.embeddings.", "bert.encoder.layer.0.")
PASSAGE = "Anna wrote a book in 1990. It rained in Rome. The book was sold in Paris."
SETS = {
    "cola": [Rated("the cat sat", None, 1.0), Rated("cat the on", None, 0.0)] * 4,
    "stsb": [Rated("the cat", "the cat", 5.0), Rated("the dog", "rome", 0.0)] * 4,
    "rte": [Rated("mary sang", "she sang", 0.0), Rated("mary sang", "he won", 1.0)] * 4,
}


def test_a_question_stands_with_the_sentence_of_its_answer_and_with_another():
    """One pair entails, one does not, and a passage without another sentence gives none."""
    pairs = qnli_pairs([Reading("g", "When did Anna write a book?", PASSAGE, ("1990",))], 0)
    assert [(p.second.startswith("Anna"), p.value) for p in pairs] == [(True, 0.0), (False, 1.0)]
    assert qnli_pairs([Reading("g", "Who?", "Anna wrote it.", ("Anna",))], 0) == []


def test_phrases_of_measured_sentences_are_left_out():
    """A part of one, and what shares five words in a row; others stay."""
    measured = [Rated("a b c d e f g", None, 1.0)]
    rows = [Rated(text, None, 1.0) for text in ("c d", "x b c d e f", "b c d e x", "x y")]
    assert [row.first for row in apart(rows, measured)] == ["b c d e x", "x y"]


def test_the_floor_is_the_better_of_the_commonest_class_and_shared_words():
    """A classifier that guesses does not exceed it; one that knows does."""
    rng = np.random.default_rng(0)
    rows = [Rated("a b c d", "a b" if i % 3 else "x y", float(i % 3 > 0)) for i in range(90)]
    assert word_overlap(rows[0]) == 0
    blind = figures("mrpc", rows, rng.normal(size=(90, 2)))
    assert blind["floor"] == 1.0
    assert not blind["good_enough"]
    alone = [Rated("a", None, float(i % 2)) for i in range(90)]
    right = np.array([[1 - row.value, row.value] for row in alone])
    known = figures("sst2", alone, right)
    assert (known["value"], known["floor"], known["good_enough"]) == (1.0, 0.5, True)


def test_each_task_has_its_own_outputs():
    """Side by side, none twice."""
    names = outputs()
    assert len(names) == len(set(names)) == 11
    assert names[columns("rte")] == ["rte:entailment", "rte:not_entailment"]
    assert names[columns("stsb")] == ["stsb:similarity"]


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """A tiny encoder trained for a moment on top of a shipped one with an NLI head."""
    monkeypatch.setattr(glue, "SHARED_LAYERS", 1)
    monkeypatch.setattr(glue, "training_sets", lambda _data, _seed: SETS)
    monkeypatch.setattr(glue, "measured_sets", lambda _data: SETS | {"qnli_unseen": []})
    below = bert_nli(tmp_path / "models" / "below")
    pack(load_file(below / "model.safetensors"), below / "model.safetensors")
    base = unpacked(below, tmp_path / "start")
    settings = Settings(batch=4, threads=1, bf16=False)
    report = glue.train_glue(base, tmp_path, tmp_path / "run", settings)
    return base, tmp_path / "run" / "final", report


def test_what_is_shared_stays_and_the_rest_is_trained(trained, tmp_path):
    """The exported folder holds the upper part only, and rates through the pipeline's code."""
    base, final, report = trained
    before, after = (load_file(where / "model.safetensors") for where in (base, final))
    shared = [name for name in after if name.startswith(SHARED)]
    assert shared
    assert all(torch.equal(before[name], after[name]) for name in shared)
    assert not torch.equal(
        before["bert.encoder.layer.1.output.dense.weight"],
        after["bert.encoder.layer.1.output.dense.weight"],
    )
    assert report["steps"] == 4 * 2 * 3
    assert set(report["figures"]) == set(SETS)
    target = tmp_path / "models" / "above"
    export_model(final, target, tmp_path / "models" / "below")
    own = load_file(target / "model.safetensors")
    assert not any(name.startswith(SHARED) for name in own)
    reading = IndicatorReading(label="stsb:similarity", number=True)
    model = IndicatorModel(
        checkpoint=str(target), reading=reading, window=WindowParameters(max_tokens=64)
    )
    (rating,) = TaskRatings({"stsb": model}).rate([RatingRequest("stsb", "the cat", "the dog")])
    assert np.isfinite(rating.value)


def test_a_batch_has_one_task(tmp_path):
    """Every row is read as often as its task says."""
    tokenizer = AutoTokenizer.from_pretrained(bert_nli(tmp_path / "model"))
    batches = glue.planned(tokenizer, SETS, Settings(batch=3))
    rows = dict.fromkeys(SETS, 0)
    for batch in batches:
        assert len(batch["rows"]) == len(batch["values"]) <= 3
        rows[batch["task"]] += len(batch["rows"])
    assert rows == dict.fromkeys(SETS, 4 * 8)


def test_every_set_is_read_in_its_published_format(tmp_path):
    """Labels as GLUE has them, and QNLI split by the articles of SQuAD."""
    folder = tmp_path / "glue"
    folder.mkdir()
    (tmp_path / "squad-dev").mkdir()
    files = {
        "cola_train.tsv": "gj04\t1\t\tAnn sings.\ngj04\t0\t*\tSings ann.\n",
        "cola_val.tsv": "gj04\t1\t\tBob paints.\n",
        "cola_dev.tsv": "gj04\t0\t*\tPaints.\n",
        "sst2_train.tsv.gz": "sentence\tlabel\na fine film \t1\nvery dull \t0\n",
        "sst2_dev.tsv": "sentence\tlabel\nit is a very dull film \t0\n",
        "msr_paraphrase_train.txt": '\ufeffQuality\tA\tB\tC\tD\n1\t1\t2\tHe "won.\tHe did.\n',
        "msr_paraphrase_test.txt": "\ufeffQuality\tA\tB\tC\tD\n0\t1\t2\tHe won.\tShe lost.\n",
        "stsb_train.csv.gz": "g\tf\ty\t1\t2.5\tA cat.\tA dog.\n",
        "stsb_dev.csv": "g\tf\ty\t1\t5.0\tA cat.\tA cat.\tmore\n",
        "rte_train.tsv": "index\tsentence1\tsentence2\tlabel\n0\tAnn won.\tShe won.\tentailment\n",
        "rte_dev.tsv": "index\tsentence1\tsentence2\tlabel\n0\tAnn won.\tNo.\tnot_entailment\n",
        "qnli_dev.tsv.gz": "index\tquestion\tsentence\tlabel\n"
        + "".join(f"{i}\tWhen {i}?\tIn 1990.\tentailment\n" for i in range(20)),
    }
    squad = [
        {"id": str(i), "title": f"T{i}", "question": f"When {i}?", "context": PASSAGE, "answers": ["1990"]}
        for i in range(20)
    ]  # fmt: skip
    files |= {
        f"../squad-dev/squad-{n}-dev.jsonl.gz": "\n".join(map(json.dumps, squad))
        for n in ("1.1", "2.0")
    }
    for name, text in files.items():
        data = text.encode()
        (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    train, measured = training_sets(tmp_path, 0), measured_sets(tmp_path)
    assert [row.value for row in train["cola"]] == [1.0, 0.0, 1.0]
    assert [row.first for row in train["sst2"]] == ["a fine film"]
    assert train["mrpc"] == [Rated('He "won.', "He did.", 1.0)]
    assert (train["stsb"][0].value, measured["stsb"][0].value) == (2.5, 5.0)
    assert (train["rte"][0].value, measured["rte"][0].value) == (0.0, 1.0)
    trained = {row.first for row in train["qnli"]}
    held = {row.first for row in measured["qnli"]}
    assert trained
    assert held
    assert not trained & held
    assert len(trained | held) == 20
    assert {row.first for row in measured["qnli_unseen"]} <= held
