"""Tests of checkpoints that store only their difference from another one's weights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForSequenceClassification

from lab.training.encoders.base import unpacked
from lab.training.export import export_model, pack, write_base
from qsquared.errors import ModelError
from qsquared.language.checkpoints.checksums import check_sums, folder_sha256
from qsquared.language.checkpoints.registry import check_before_loading
from qsquared.language.checkpoints.shared_weights import BASE
from qsquared.language.checkpoints.weights import load_encoder, unpack
from tests.language.tiny_models import bert_nli

WEIGHTS = "model.safetensors"
HEAD = "classifier.weight"


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A checkpoint whose head and upper layer were trained on a shipped model."""
    shipped = tmp_path / "models" / "below"
    bert_nli(shipped)
    pack(load_file(shipped / WEIGHTS), shipped / WEIGHTS)
    checkpoint = unpacked(shipped, tmp_path / "checkpoint")
    state = load_file(checkpoint / WEIGHTS)
    for name, tensor in state.items():
        if name == HEAD or ".layer.1." in name:
            tensor.add_(0.25)
    save_file(state, checkpoint / WEIGHTS, metadata={"format": "pt"})
    return checkpoint


@pytest.fixture
def shared(trained: Path, tmp_path: Path) -> Path:
    """The trained checkpoint, exported on top of its base model."""
    export_model(trained, tmp_path / "models" / "above", tmp_path / "models" / "below")
    return tmp_path / "models" / "above"


def test_only_what_differs_is_written(shared: Path) -> None:
    """The lower layer and the embeddings are not stored twice."""
    names = set(unpack(shared / WEIGHTS))
    assert HEAD in names
    assert any(".layer.1." in name for name in names)
    assert not any(".layer.0." in name or ".embeddings." in name for name in names)
    check_sums(shared)


def test_it_loads_to_the_weights_that_were_trained(shared: Path, trained: Path) -> None:
    """Shared weights come back bit for bit, others up to half a step of int8."""
    model = load_encoder(AutoModelForSequenceClassification, shared)
    own = unpack(shared / WEIGHTS)
    state = model.state_dict()
    for name, tensor in load_file(trained / WEIGHTS).items():
        if name in own:
            assert torch.allclose(state[name], tensor, atol=float(tensor.abs().max()) / 254 + 1e-6)
        else:
            assert torch.equal(state[name], tensor)


def test_a_changed_base_is_refused(shared: Path) -> None:
    """Other weights below would make another model of it, so that is a sentence."""
    below = shared.parent / "below" / WEIGHTS
    state = unpack(below)
    state[HEAD] += 1
    pack(state, below)
    for load in (
        lambda: load_encoder(AutoModelForSequenceClassification, shared),
        lambda: check_before_loading(str(shared), shared),
    ):
        with pytest.raises(ModelError, match="is not the file that was recorded"):
            load()


def test_a_missing_base_is_refused(shared: Path) -> None:
    """Without the model below there is nothing to load."""
    (shared.parent / "below" / WEIGHTS).unlink()
    with pytest.raises(ModelError, match=r"below/.* is missing"):
        load_encoder(AutoModelForSequenceClassification, shared)


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"folder": "below"}', '{"folder": "../below", "sha256": "0"}'],
    ids=["cut", "a list", "no hash", "a folder elsewhere"],
)
def test_a_damaged_record_is_a_sentence(shared: Path, text: str) -> None:
    """The record is read before any weight, and leads to no other place."""
    (shared / BASE).write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=r"base\.json"):
        load_encoder(AutoModelForSequenceClassification, shared)


def test_the_identity_covers_what_is_below(shared: Path) -> None:
    """Resting on other weights is being another model."""
    before = folder_sha256(shared)
    record = json.loads((shared / BASE).read_text(encoding="utf-8"))
    (shared / BASE).write_text(json.dumps(record | {"sha256": "0" * 64}), encoding="utf-8")
    assert folder_sha256(shared) != before


def test_plain_weights_never_rest_on_others(shared: Path) -> None:
    """Plain loading refuses shared weights, which it would fill with random numbers."""
    save_file(unpack(shared / WEIGHTS), shared / WEIGHTS, metadata={"format": "pt"})
    with pytest.raises(ModelError, match="does not hold int8 rows"):
        load_encoder(AutoModelForSequenceClassification, shared)


def test_a_base_lies_beside_and_rests_on_nothing(shared: Path, tmp_path: Path) -> None:
    """No model rests on a folder elsewhere, nor on one that rests on a third."""
    with pytest.raises(ValueError, match="does not lie beside"):
        write_base(tmp_path / "elsewhere", shared)
    with pytest.raises(ValueError, match="rests on another model itself"):
        write_base(shared.parent / "third", shared)
