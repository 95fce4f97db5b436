"""The compact storage of encoders, and loading."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from transformers import AutoModelForQuestionAnswering, BertModel

from lab.training.export import pack
from qsquared.errors import ModelError
from qsquared.language.checkpoints.weights import load_encoder, load_tokenizer, unpack
from tests.language.tiny_models import bert_qa, save_bert


def _pack_in_place(folder: Path) -> dict[str, torch.Tensor]:
    original = load_file(folder / "model.safetensors")
    pack(original, folder / "model.safetensors")
    return original


@settings(max_examples=30, deadline=None)
@given(
    rows=st.integers(1, 5),
    columns=st.integers(1, 8),
    exponent=st.integers(-20, 20),
    seed=st.integers(0, 99),
)
def test_int8_rows_are_off_by_half_a_scale_at_most(
    tmp_path_factory: pytest.TempPathFactory, rows: int, columns: int, exponent: int, seed: int
) -> None:
    """No value of a matrix moves by more than half of its row's greatest magnitude / 127."""
    matrix = torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))
    matrix *= 2.0**exponent
    path = tmp_path_factory.mktemp("weights") / "model.safetensors"
    pack({"matrix": matrix}, path)
    error = (unpack(path)["matrix"] - matrix).abs()
    bound = matrix.abs().amax(dim=1, keepdim=True) / 127 / 2
    assert (error <= bound * 1.001 + 1e-30).all()


def test_vectors_integers_and_zero_rows_are_kept_exactly(tmp_path: Path) -> None:
    """Values other than floating matrices come back bit for bit, and a row of zeros stays zero."""
    state = {
        "bias": torch.tensor([0.1, -3.0]),
        "ids": torch.arange(4).reshape(1, 4),
        "matrix": torch.zeros(2, 3),
    }
    pack(state, tmp_path / "model.safetensors")
    restored = unpack(tmp_path / "model.safetensors")
    assert restored.keys() == state.keys()
    for name, tensor in state.items():
        assert torch.equal(restored[name], tensor)
        assert restored[name].dtype == tensor.dtype


def test_packing_refuses_what_is_not_a_number(tmp_path: Path) -> None:
    """Weights with a NaN are never written."""
    with pytest.raises(ValueError, match="matrix holds a value that is not finite"):
        pack({"matrix": torch.tensor([[float("nan")]])}, tmp_path / "model.safetensors")


def test_packing_refuses_a_name_that_a_scale_would_take(tmp_path: Path) -> None:
    """A tensor called like another's scale would be lost, so it is refused."""
    state = {"a": torch.ones(1, 1), "a.scale": torch.ones(1)}
    with pytest.raises(ValueError, match=r"a\.scale is the name of another tensor"):
        pack(state, tmp_path / "model.safetensors")


def test_unpacking_refuses_other_files(tmp_path: Path) -> None:
    """A safetensors file of another storage is not mistaken for int8 rows."""
    save_file({"a": torch.ones(1)}, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="does not hold int8 rows"):
        unpack(tmp_path / "model.safetensors")


def test_a_packed_encoder_loads_to_its_weights(tmp_path: Path) -> None:
    """Every tensor of a packed model is loaded, in float32 and evaluation mode, and it is smaller."""
    folder = bert_qa(tmp_path / "model")
    size = (folder / "model.safetensors").stat().st_size
    original = _pack_in_place(folder)
    assert (folder / "model.safetensors").stat().st_size < 0.5 * size
    model = load_encoder(AutoModelForQuestionAnswering, folder)
    assert not model.training
    state = model.state_dict()
    for name, tensor in original.items():
        assert state[name].dtype == torch.float32
        assert torch.allclose(state[name], tensor, atol=float(tensor.abs().max()) / 127)


def test_packed_and_plain_weights_of_a_model_decide_alike(tmp_path: Path) -> None:
    """The packed model's logits stay near the plain model's."""
    plain, packed = bert_qa(tmp_path / "plain"), bert_qa(tmp_path / "packed")
    _pack_in_place(packed)
    inputs = load_tokenizer(plain)("who wrote it?", "mary wrote a book", return_tensors="pt")
    with torch.inference_mode():
        a = load_encoder(AutoModelForQuestionAnswering, plain)(**inputs).start_logits
        b = load_encoder(AutoModelForQuestionAnswering, packed)(**inputs).start_logits
    assert not torch.equal(a, b)
    assert torch.allclose(a, b, atol=0.1 * float(a.std()) + 0.2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.pop("qa_outputs.weight"), "misses weights qa_outputs.weight"),
        (lambda s: s.update(extra=torch.ones(2, 2)), "has the unknown weights extra"),
    ],
    ids=["missing", "unexpected"],
)
def test_packed_weights_must_fit_exactly(tmp_path: Path, change: object, message: str) -> None:
    """A packed model with a tensor too few or too many is refused, by the tensor's name."""
    folder = bert_qa(tmp_path / "model")
    state = load_file(folder / "model.safetensors")
    assert callable(change)
    change(state)
    pack(state, folder / "model.safetensors")
    with pytest.raises(ModelError, match=message):
        load_encoder(AutoModelForQuestionAnswering, folder)


def test_a_checkpoint_without_the_head_is_refused(tmp_path: Path) -> None:
    """A bare encoder never gets a head of random numbers."""
    folder = save_bert(BertModel, tmp_path / "model")
    with pytest.raises(ModelError, match="misses weights qa_outputs"):
        load_encoder(AutoModelForQuestionAnswering, folder)


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    """A tensor of the wrong shape is an error, not a random replacement."""
    folder = bert_qa(tmp_path / "model")
    state = load_file(folder / "model.safetensors")
    state["qa_outputs.weight"] = torch.ones(3, 32)
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"qa_outputs|cannot be loaded"):
        load_encoder(AutoModelForQuestionAnswering, folder)


def test_damaged_files_are_a_sentence(tmp_path: Path) -> None:
    """Cut weights, and a missing tokenizer, are model errors that name the folder."""
    folder = bert_qa(tmp_path / "model")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ModelError, match=r"model.safetensors is damaged"):
        load_encoder(AutoModelForQuestionAnswering, folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"tokenizer in .*empty cannot be loaded"):
        load_tokenizer(tmp_path / "empty")
