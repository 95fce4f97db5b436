"""Soft labels of a larger judge or reader, and the losses that learn them."""

import numpy as np
import pytest
import torch

from lab.training.encoders import distil
from lab.training.encoders import rows as rows_module
from lab.training.encoders.distil import TOP, soft_labels, soft_spans, with_soft_labels
from lab.training.encoders.fit import Settings, fit
from lab.training.encoders.losses import distilling_losses, inference_losses, span_losses
from lab.training.encoders.rows import Rows, encode_qa
from lab.training.encoders.train import _thinned
from lab.training.examples.qa import QAExample
from lab.training.mixture.inference import Inference
from qsquared.language.checkpoints.weights import load_tokenizer
from tests.language.tiny_models import bert_nli, bert_qa

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


def test_a_killed_run_asks_only_for_the_chunks_that_it_lacks(
    teacher, tmp_path, monkeypatch, capsys
):
    """Finished ones are kept; those of another teacher are others."""
    monkeypatch.setattr(distil, "CHUNK", 2)
    asked = []
    outputs = distil._outputs
    monkeypatch.setattr(distil, "_outputs", lambda *a: asked.append(1) or outputs(*a))
    soft_labels(teacher, EXAMPLES[:4], tmp_path, 1)
    whole = soft_labels(teacher, EXAMPLES, tmp_path, 1)
    assert len(asked) == 3
    assert soft_labels(teacher, EXAMPLES, tmp_path, 1) == pytest.approx(whole)
    assert len(asked) == 3
    assert "5 of 5 examples have soft labels" in capsys.readouterr().out
    (teacher / "model.safetensors").write_bytes((teacher / "model.safetensors").read_bytes() + b" ")
    soft_labels(teacher, EXAMPLES[:2], tmp_path, 1)
    assert len(asked) == 4


def test_what_is_added_to_a_mixture_leaves_the_draw_of_the_others():
    """Of twins none, of claims and others the shares that are asked for, and of what was made once all."""
    claims = [Inference(f"claims/{i}", "a", str(i), "neutral") for i in range(1000)]
    others = [Inference(f"fever/{i}", "b", str(i), "neutral") for i in range(1000)]
    twins = [Inference(f"twins/{i}", "c", str(i), "neutral") for i in range(10)]
    made = [Inference(f"made/{i}", "d", str(i), "neutral") for i in range(10)]
    settings = Settings(claims=0.5, rest=0.1)
    before = _thinned(claims + others, settings)
    after = _thinned(others[::-1] + twins + made + claims, settings)
    assert set(before) | set(made) == set(after)
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


QUESTIONS = [
    QAExample("g", "What is blue?", "It rains. The sky is blue.", 10, 17, "squad"),
    QAExample("g", "Who sings?", "The sky is blue.", -1, -1, "beside"),
]


@pytest.fixture
def reader(tmp_path):
    """A reader with random weights."""
    return bert_qa(tmp_path / "reader")


def test_a_reader_reads_bounds_of_words_and_no_answer(reader, tmp_path):
    """The likeliest first, as characters of the text."""
    soft = soft_spans(reader, QUESTIONS, tmp_path / "soft", 1)
    assert soft.shape == (2, 2, TOP, 2)
    assert (np.diff(soft[..., 1]) <= 0).all()
    assert (soft[..., 1].sum(axis=-1) <= 1.001).all()
    text = QUESTIONS[1].text
    bounds = load_tokenizer(reader)(text, return_offsets_mapping=True)["offset_mapping"]
    places = zip(*(one for one in bounds if one[0] < one[1]), strict=True)
    for side, possible in enumerate(places):
        assert set(soft[1, side, :, 0]) <= {-1, *possible}


def test_a_reading_is_learned_by_the_tokens_of_another_tokenizer(reader):
    """Bounds between its tokens are left out, and what is left is a whole."""
    tokenizer = load_tokenizer(reader)
    soft = np.zeros((2, 2, TOP, 2), np.float32)
    soft[..., 0] = -1
    soft[:, :, 0, 1] = 0.3
    soft[0, 0, 1:3] = [(14, 0.3), (12, 0.4)]  # "sky", and the letters "ky"
    (starts, _), (unanswered, _) = (row["labels"] for row in encode_qa(tokenizer, QUESTIONS, soft))
    plain = encode_qa(tokenizer, QUESTIONS)
    assert starts[0] == plain[0]["start_positions"]
    assert starts[1] == 0
    assert starts[2] == starts[0] + 1
    assert starts[1 + TOP : 3 + TOP] == pytest.approx([0.5, 0.5])
    assert sum(starts[1 + TOP :]) == pytest.approx(1)
    assert unanswered[: 2 + TOP] == [0.0] * (1 + TOP) + [pytest.approx(1)]


def test_a_question_longer_than_the_window_is_cut(reader, tmp_path, monkeypatch):
    """For the teacher that reads it and for the reader that learns it."""
    for module in (distil, rows_module):
        monkeypatch.setattr(module, "MAX_TOKENS", 64)
    long = [QAExample("g", "Why is it so? " * 64, "The sky is blue.", 4, 7, "squad")]
    soft = soft_spans(reader, long, tmp_path / "soft", 1)
    (row,) = encode_qa(load_tokenizer(reader), long, soft)
    assert len(row["input_ids"]) == 64


def test_a_reader_s_loss_is_least_where_it_reads_as_the_teacher():
    """And with no share for the teacher that of the answer's own bounds."""
    generator = torch.Generator().manual_seed(1)
    starts, ends = (torch.randn(3, TOP, generator=generator) for _ in range(2))
    own = torch.tensor([[0, 0], [2, 4], [1, 1]])
    tokens = torch.arange(TOP).expand(3, TOP)
    shares = torch.stack([starts.softmax(-1), ends.softmax(-1)], dim=1)
    labels = torch.cat([own[..., None], tokens[:, None].expand(3, 2, TOP), shares], dim=-1)
    plain = sum(
        torch.nn.functional.cross_entropy(logits, own[:, side], reduction="none") / 2
        for side, logits in enumerate((starts, ends))
    )
    assert torch.allclose(span_losses(starts, ends, labels, 0.0), plain)
    same = span_losses(starts, ends, labels, 1.0)
    assert (same < span_losses(starts.flip(-1), ends.flip(-1), labels, 1.0)).all()


def test_a_reader_is_trained_by_soft_spans(reader, tmp_path):
    """Its figures are of the answers alone."""
    tokenizer = load_tokenizer(reader)
    soft = soft_spans(reader, QUESTIONS, tmp_path / "soft", 1)
    settings = Settings(batch=2, threads=1, bf16=False, teacher=reader, teacher_share=0.7)
    taught, plain = encode_qa(tokenizer, QUESTIONS, soft), encode_qa(tokenizer, QUESTIONS)
    figures = fit("qa", reader, taught, {"made": plain}, tmp_path / "out", settings)
    assert 0 <= figures["made_exact"] <= 1
