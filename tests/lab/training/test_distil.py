"""Soft labels of a larger judge, and the loss that learns them."""

import numpy as np
import pytest
import torch

from lab.training.encoders import distil
from lab.training.encoders.distil import soft_labels, with_soft_labels
from lab.training.encoders.fit import Settings, fit
from lab.training.encoders.losses import distilling_losses, inference_losses
from lab.training.encoders.rows import Rows
from lab.training.encoders.train import _thinned
from lab.training.sources.inference import Inference
from tests.language.tiny_models import bert_nli

EXAMPLES = [
    Inference("g", "the sky " * (i + 1), "is blue", "neutral" if i % 2 else "entailment")
    for i in range(5)
]


@pytest.fixture
def teacher(tmp_path):
    """A judge with random weights."""
    return bert_nli(tmp_path / "teacher")


def test_soft_labels_are_in_the_order_of_the_examples(teacher, tmp_path):
    """Though they are judged in the order of their lengths."""
    soft = soft_labels(teacher, EXAMPLES, tmp_path / "soft", 1)
    assert soft.shape == (5, 3)
    assert soft.sum(axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    last_first = soft_labels(teacher, EXAMPLES[::-1], tmp_path / "other", 1)
    assert last_first[::-1] == pytest.approx(soft, abs=0.02)


def test_a_killed_run_asks_only_for_the_chunks_that_it_lacks(teacher, tmp_path, monkeypatch):
    """Finished ones lie in files."""
    monkeypatch.setattr(distil, "CHUNK", 2)
    whole = soft_labels(teacher, EXAMPLES, tmp_path, 1)
    files = sorted(tmp_path.glob("soft-*.npz"))
    assert len(files) == 3
    files[1].unlink()
    asked = []
    judged = distil._judged
    monkeypatch.setattr(distil, "_judged", lambda *a: asked.append(a[2]) or judged(*a))
    assert soft_labels(teacher, EXAMPLES, tmp_path, 1) == pytest.approx(whole)
    assert len(asked) == 1


def test_examples_that_were_judged_before_are_not_judged_again(teacher, tmp_path, monkeypatch):
    """Whatever else the mixture has now, in whatever order."""
    whole = soft_labels(teacher, EXAMPLES[1:], tmp_path, 1)
    asked = []
    judged = distil._judged
    monkeypatch.setattr(distil, "_judged", lambda *a: asked.append(a[2]) or judged(*a))
    again = soft_labels(teacher, EXAMPLES[::-1], tmp_path, 1)
    assert again[:-1] == pytest.approx(whole[::-1])
    assert asked == [[EXAMPLES[0]]]


def test_what_is_added_to_a_mixture_leaves_the_draw_of_the_others():
    """Of twins none unless asked for, of claims and others the shares that are asked for."""
    claims = [Inference(f"claims/{i}", "a", str(i), "neutral") for i in range(1000)]
    others = [Inference(f"fever/{i}", "b", str(i), "neutral") for i in range(1000)]
    twins = [Inference(f"twins/{i}", "c", str(i), "neutral") for i in range(10)]
    settings = Settings(twins=1.0, claims=0.5, rest=0.1)
    before = _thinned(claims + others, settings)
    after = _thinned(others[::-1] + twins + claims, settings)
    assert set(before) | set(twins) == set(after)
    assert not _thinned(twins, Settings())
    assert 450 < len(set(before) & set(claims)) < 550
    assert 70 < len(set(before) & set(others)) < 130


def test_a_loss_that_counts_the_teacher_for_nothing_is_that_of_the_labels():
    """And one that counts nothing else is least where the probabilities are the teacher's."""
    logits = torch.randn(4, 3, generator=torch.Generator().manual_seed(1))
    own = torch.tensor([0, 1, 2, 3])
    taught = logits.softmax(-1)
    labels = torch.cat([own[:, None].float(), taught], dim=1)
    assert torch.allclose(distilling_losses(logits, labels, 0.0), inference_losses(logits, own))
    same = distilling_losses(logits, labels, 1.0)
    other = distilling_losses(logits.flip(-1), labels, 1.0)
    assert (same < other).all()


def test_a_judge_is_trained_by_soft_labels(teacher, tmp_path):
    """Its figures are of the labels alone."""
    row = {"input_ids": [1, 2, 3], "attention_mask": [1, 1, 1], "length": 3}
    rows = Rows([row | {"labels": label} for label in (0, 0, 1, 3)])
    taught = with_soft_labels(rows, np.full((4, 3), 1 / 3, np.float32))
    settings = Settings(batch=2, threads=1, bf16=False, teacher_share=0.7)
    figures = fit("nli", teacher, taught, {"made": rows}, tmp_path / "out", settings)
    assert 0 <= figures["made_accuracy"] <= 1
