"""The whole way from data to a shipped folder, on a tiny encoder."""

import json
import sys

import pytest
from huggingface_hub import constants
from safetensors.torch import load_file
from transformers import AutoModelForQuestionAnswering

from lab.training.__main__ import main
from lab.training.encoders.base import unpacked
from lab.training.export import export_adapters, export_model
from qsquared.language.checkpoints.checksums import check_sums, sha256_of_file
from qsquared.language.checkpoints.larger_bases import base_folder
from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.language.judging.nli import NliJudge
from qsquared.profiles.model_parameters import EntailmentParameters, ReadingParameters
from qsquared.records import InferenceRequest, ReadingRequest
from tests.language.tiny_models import bert_qa, mpnet

pytestmark = pytest.mark.slow

TERMS = 'licence = "of the test", origin = "made for the test"'
MIXTURE = f"""
judge.conjnli = {{ format = "pairs", path = "conjnli/adversarial_train_15k.tsv.gz", take = 40, \
  columns = {{ premise = "Premise", hypothesis = "Hypothesis", label = "Label" }}, {TERMS} }}
judge.fever = {{ format = "pairs", path = "fever-symmetric/*.jsonl", {TERMS}, \
  columns = {{ premise = "evidence", hypothesis = "claim", label = "gold_label" }}, \
  labels = {{ SUPPORTS = "entailment", REFUTES = "contradiction" }} }}
reader.squad = {{ format = "squad", path = "squad-dev", {TERMS} }}
reader.qamr = {{ format = "qamr", path = "qamr", {TERMS} }}
reader.rules = {{ format = "made-rules", take = 20, {TERMS} }}
"""


@pytest.fixture
def train(data, tmp_path, monkeypatch):
    """A function that trains one task for a moment and gives the folder of the run."""
    bases = {"": bert_qa(tmp_path / "base"), "mpnet": mpnet(tmp_path / "mpnet")}
    mixture = tmp_path / "mixture.toml"
    mixture.write_text(MIXTURE)

    def run(task, *more, base=""):
        arguments = [
            task,
            "--data",
            str(data),
            "--out",
            str(tmp_path),
            "--base",
            str(bases[base]),
            "--mixture",
            str(mixture),
        ]
        monkeypatch.setattr(
            sys, "argv", ["training", *arguments, "--quick", "32", "--threads", "1", *more]
        )
        main()
        return tmp_path

    return run


def test_a_reader_is_trained_exported_and_answers(train):
    """The exported folder passes its sums and loads through the loading code of the pipeline."""
    folder = train("qa")
    report = json.loads((folder / "qa.json").read_text())
    assert report["examples"] == 32
    assert 0 <= report["figures"]["qamr_exact"] <= 1
    export_model(folder / "qa" / "final", folder / "shipped")
    check_sums(folder / "shipped")
    reader = ExtractiveAnswers(
        str(folder / "shipped"), parameters=ReadingParameters(max_tokens=96, stride=16)
    )
    (answer,) = reader.answer([ReadingRequest("Who painted?", "Anna painted houses.")])
    assert answer.windows == 1


def test_a_judge_is_trained_exported_and_judges(train):
    """The labels are in the exported configuration, so that the judge finds them."""
    folder = train("nli")
    assert "fever_accuracy" in json.loads((folder / "nli.json").read_text())["figures"]
    export_model(folder / "nli" / "final", folder / "shipped")
    judge = NliJudge(str(folder / "shipped"), parameters=EntailmentParameters(max_tokens=96))
    (judged,) = judge.judge([InferenceRequest("Anna paints.", "Yes.")])
    assert judged.entailment + judged.neutral + judged.contradiction == pytest.approx(1)


def test_adapters_are_trained_exported_and_judge(train, monkeypatch):
    """The exported folder rests on the encoder in the cache; the same command again changes nothing."""
    folder = train("nli", "--adapters", "4", base="mpnet")
    trained = folder / "nli" / "adapters"
    before = (trained / "adapter_model.safetensors").read_bytes()
    train("nli", "--adapters", "4", base="mpnet")
    assert (trained / "adapter_model.safetensors").read_bytes() == before
    export_adapters(trained, folder / "nli" / "calibrated", folder / "shipped")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder / "hub"))
    mpnet(base_folder(sha256_of_file(folder / "mpnet" / "model.safetensors")))
    judge = NliJudge(str(folder / "shipped"), parameters=EntailmentParameters(max_tokens=96))
    (judged,) = judge.judge([InferenceRequest("Anna paints.", "Yes.")])
    assert judged.entailment + judged.neutral + judged.contradiction == pytest.approx(1)
    report = json.loads((folder / "nli.json").read_text())
    assert report["trained"]["adapter_rank"] == 4


def test_a_finished_training_is_not_repeated(train, capsys):
    """The same command again continues from the last checkpoint and changes nothing."""
    folder = train("qa")
    before = (folder / "qa" / "final" / "model.safetensors").read_bytes()
    train("qa")
    assert (folder / "qa" / "final" / "model.safetensors").read_bytes() == before


def test_a_shipped_model_can_be_trained_further(train, tmp_path):
    """Its weights come out of their packed form as they went in, up to half a step of int8."""
    folder = train("qa")
    final = folder / "qa" / "final"
    export_model(final, folder / "shipped")
    start = unpacked(folder / "shipped", tmp_path / "start")
    before, after = (load_file(where / "model.safetensors") for where in (final, start))
    assert before.keys() == after.keys()
    for name, tensor in before.items():
        tolerance = tensor.abs().max().item() / 254 + 1e-8
        assert (after[name] - tensor).abs().max().item() <= tolerance
    AutoModelForQuestionAnswering.from_pretrained(start)
