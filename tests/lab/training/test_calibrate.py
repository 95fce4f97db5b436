"""The calibration of a judge on development rows."""

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForSequenceClassification

from lab.training.encoders.calibrate import calibrate, calibration_error, fit_calibration
from lab.training.encoders.rows import Rows
from tests.language.tiny_models import LABELS, bert_nli, mpnet


def drawn(temperature, bias, rows=4000):
    """Logits, and labels drawn by what the calibrated logits say."""
    generator = torch.Generator().manual_seed(1)
    logits = torch.randn(rows, 3, generator=generator) * 3
    shares = (logits / temperature + torch.tensor(bias)).softmax(-1)
    return logits, torch.multinomial(shares, 1, generator=generator)[:, 0]


def test_the_temperature_and_biases_of_the_labels_are_found_again():
    """From labels that were drawn with them."""
    logits, labels = drawn(2.0, [0.5, -0.5, 0.0])
    found = fit_calibration(logits, labels, torch.ones(len(labels)))
    assert found.temperature == pytest.approx(2.0, abs=0.2)
    assert found.bias == pytest.approx((0.5, -0.5, 0.0), abs=0.15)
    assert found.loss_after < found.loss_before
    assert found.error_after < 0.03 < found.error_before


def test_a_row_that_is_not_entailed_counts_for_both_other_labels():
    """Its loss does not say which of the two it is."""
    logits = torch.tensor([[0.0, 1.0, 1.0]] * 8)
    labels = torch.full((8,), 3)
    found = fit_calibration(logits, labels, torch.ones(8))
    assert found.bias[1] == pytest.approx(found.bias[2])
    assert found.bias[0] < 0


def test_a_sure_judge_that_is_right_half_the_time_is_off_by_half():
    """The expected calibration error."""
    logits = torch.tensor([[50.0, 0.0, 0.0]] * 4)
    assert calibration_error(logits, torch.tensor([0, 0, 1, 3])) == pytest.approx(0.5)


def test_the_calibration_is_in_the_weights_of_the_last_layer(tmp_path):
    """So nothing else has to know of it."""
    final = tmp_path / "final"
    bert_nli(final)
    row = {"input_ids": [1, 2, 3], "attention_mask": [1, 1, 1], "length": 3}
    rows = Rows([row | {"labels": label} for label in (0, 0, 1, 3)])
    fitted = calibrate(final, {"made": rows}, tmp_path / "calibrated")
    before = load_file(final / "model.safetensors")["classifier.weight"]
    model = AutoModelForSequenceClassification.from_pretrained(tmp_path / "calibrated")
    assert torch.allclose(model.classifier.weight, before / fitted["temperature"])


def test_the_last_layer_of_a_head_of_two_layers_is_calibrated(tmp_path):
    """MPNet's head has a layer below it, which stays as it is."""
    final = mpnet(tmp_path / "final")
    judge = AutoModelForSequenceClassification.from_pretrained(final, num_labels=len(LABELS))
    judge.save_pretrained(final)
    row = {"input_ids": [0, 46, 2], "attention_mask": [1, 1, 1], "length": 3}
    rows = Rows([row | {"labels": label} for label in (0, 0, 1, 3)])
    fitted = calibrate(final, {"made": rows}, tmp_path / "calibrated", shift=-0.5)
    before, after = (
        load_file(tmp_path / name / "model.safetensors") for name in ("final", "calibrated")
    )
    changed = {name for name, tensor in after.items() if not torch.equal(tensor, before[name])}
    assert changed == {"classifier.out_proj.weight", "classifier.out_proj.bias"}
    name = "classifier.out_proj.bias"
    moved = before[name] / fitted["temperature"] + torch.tensor(fitted["bias"])
    assert torch.allclose(after[name], moved + torch.tensor([-0.5, 0.0, 0.0]), atol=1e-5)
    assert fitted["entailment_shift"] == -0.5
