"""The whole way from data to a shipped folder, on a tiny encoder."""

import json
import sys

import pytest
from safetensors.torch import load_file
from transformers import AutoModelForQuestionAnswering

from qsquared.language.checkpoints.checksums import check_sums
from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.language.judging.nli import NliJudge
from qsquared.profiles.parameters import EntailmentParameters, ReadingParameters
from qsquared.records import InferenceRequest, ReadingRequest
from tests.language.tiny_models import bert_qa
from training.__main__ import main
from training.encoders.base import unpacked
from training.export import export_model

pytestmark = pytest.mark.slow

TERMS = 'licence = "of the test", origin = "made for the test"'
MIXTURE = f"""
judge.snli = {{ format = "snli", path = "snli", take = 40, {TERMS} }}
judge.fever = {{ format = "fever-symmetric", path = "fever-symmetric", {TERMS} }}
judge.replies = {{ format = "made-replies", {TERMS} }}
reader.squad = {{ format = "squad", path = "squad-dev", {TERMS} }}
reader.qamr = {{ format = "qamr", path = "qamr", {TERMS} }}
reader.rules = {{ format = "made-rules", take = 20, {TERMS} }}
"""


@pytest.fixture
def train(data, tmp_path, monkeypatch):
    """A function that trains one task for a moment and gives the folder of the run."""
    base = bert_qa(tmp_path / "base")
    mixture = tmp_path / "mixture.toml"
    mixture.write_text(MIXTURE)

    def run(task):
        arguments = [
            task,
            "--data",
            str(data),
            "--out",
            str(tmp_path),
            "--base",
            str(base),
            "--mixture",
            str(mixture),
        ]
        monkeypatch.setattr(
            sys, "argv", ["training", *arguments, "--quick", "32", "--threads", "1"]
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
