"""Linear layers with packed weights: their products, and the questions of a generator that has them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from qsquared.language.engines.linear_layers import PackedLinear, pack_linears
from qsquared.language.t5_questions import T5Questions
from qsquared.profiles.model_parameters import BeamParameters
from qsquared.records import QuestionRequest, Span
from tests.language.tiny_models import t5_qg

TEXTS = ["John wrote the long book in Paris in 1990.", "Mary sang in Rome.", "John won."]

needs_packing = pytest.mark.skipif(
    not pack_linears(nn.Sequential(nn.Linear(2, 2))), reason="this torch cannot pack weights"
)


def _requests() -> list[QuestionRequest]:
    return [QuestionRequest(text, Span(0, 4, text[:4], "entity")) for text in TEXTS]


@needs_packing
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("rows", [1, 7, 80])
def test_a_packed_layer_multiplies_alike(rows: int, bias: bool) -> None:
    """Products differ from torch's by the rounding of float32 only, for any number of rows."""
    torch.manual_seed(0)
    linear, tokens = nn.Linear(96, 64, bias=bias), torch.randn(rows, 3, 96)
    with torch.inference_mode():
        torch.testing.assert_close(PackedLinear(linear)(tokens), linear(tokens))


@needs_packing
def test_only_float32_is_packed() -> None:
    """Layers of another type stay as they are."""
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4).to(torch.bfloat16))
    assert pack_linears(model)
    assert [type(layer) for layer in model] == [PackedLinear, nn.Linear]


@needs_packing
@pytest.mark.parametrize("beam_size", [1, 5])
def test_packing_changes_no_question(
    tmp_path: Path, beam_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A generator asks the same questions in the same order, and its log-probabilities agree."""
    folder = str(t5_qg(tmp_path / "qg"))
    settings = BeamParameters(
        beam_size=beam_size, returned=beam_size, max_question_tokens=12, max_tokens=64
    )
    packed = T5Questions(folder, parameters=settings)
    found = packed.generate(_requests())
    assert any(isinstance(module, PackedLinear) for module in packed.load().model.modules())
    monkeypatch.setattr(
        "qsquared.language.engines.linear_layers.pack_linears", lambda _model: False
    )
    plain = T5Questions(folder, parameters=settings)
    for ones, others in zip(plain.generate(_requests()), found, strict=True):
        assert [q.question for q in ones] == [q.question for q in others]
        for one, other in zip(ones, others, strict=True):
            assert one.log_prob == pytest.approx(other.log_prob, abs=1e-4)
    assert packed.identity == plain.identity


def test_a_torch_without_the_operation_leaves_a_model_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On other processors the generator runs on torch's own product."""
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    model = nn.Sequential(nn.Linear(4, 4))
    assert not pack_linears(model)
    assert type(model[0]) is nn.Linear
