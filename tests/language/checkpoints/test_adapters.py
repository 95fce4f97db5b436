"""Tests of models that are adapters of an encoder fetched apart, against peft's own merging."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from huggingface_hub import constants
from peft import PeftModel
from safetensors.torch import load_file, save_file
from transformers import AutoModelForSequenceClassification

from lab.training.encoders.base import with_adapters
from lab.training.export import export_adapters
from qsquared.errors import ModelError
from qsquared.language.checkpoints import registry
from qsquared.language.checkpoints.checksums import check_sums, folder_sha256, sha256_of_file
from qsquared.language.checkpoints.larger_bases import base_folder
from qsquared.language.checkpoints.shared_weights import ADAPTERS
from qsquared.language.checkpoints.weights import load_encoder, load_tokenizer
from qsquared.language.judging.nli import NliJudge
from qsquared.profiles.model_parameters import EntailmentParameters
from qsquared.records import InferenceRequest
from tests.language.tiny_models import LABELS, mpnet

WEIGHTS = "model.safetensors"
IDS = torch.tensor([[0, 46, 47, 2, 2, 48, 49, 2]])
RANK = 4


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """The encoder that was trained on, in its place in the cache, too."""
    folder = mpnet(tmp_path / "base")
    mpnet(base_folder(sha256_of_file(folder / WEIGHTS)))
    return folder


def untrained(base: Path):
    """Return the encoder with a new head of three classes."""
    return AutoModelForSequenceClassification.from_pretrained(
        base, id2label=dict(enumerate(LABELS)), label2id={n: i for i, n in enumerate(LABELS)}
    )


@pytest.fixture
def trained(base: Path, tmp_path: Path) -> Path:
    """A folder with adapters as training writes them, and with the model that they are merged into."""
    torch.manual_seed(1)
    model = with_adapters(untrained(base), RANK)
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            torch.nn.init.normal_(parameter, std=0.3 if "lora" in name else 0.5)
    tokenizer = load_tokenizer(base)
    model.save_pretrained(tmp_path / "adapters")
    final = model.merge_and_unload()
    final.save_pretrained(tmp_path / "final")
    tokenizer.save_pretrained(tmp_path / "final")
    return tmp_path


@pytest.fixture
def shipped(trained: Path) -> Path:
    """The exported folder."""
    folder = trained / "shipped"
    export_adapters(trained / "adapters", trained / "final", folder)
    return folder


def logits(model: torch.nn.Module) -> torch.Tensor:
    """Return the logits of one row."""
    with torch.inference_mode():
        return model.eval()(input_ids=IDS, attention_mask=torch.ones_like(IDS)).logits


def test_the_merged_weights_are_those_of_peft(shipped: Path, trained: Path, base: Path) -> None:
    """Our loading gives peft's logits, with and without its merging, up to float16."""
    ours = logits(load_encoder(AutoModelForSequenceClassification, shipped))
    beside = PeftModel.from_pretrained(untrained(base), trained / "adapters")
    assert torch.allclose(ours, logits(beside), atol=0.02)
    assert torch.allclose(ours, logits(beside.merge_and_unload()), atol=0.02)
    assert not torch.allclose(ours, logits(untrained(base)), atol=0.5)


def test_the_head_is_that_of_the_calibrated_model(trained: Path) -> None:
    """Calibration changes the head alone, and what it wrote is shipped."""
    state = load_file(trained / "final" / WEIGHTS)
    state["classifier.out_proj.bias"] += 1.5
    save_file(state, trained / "final" / WEIGHTS, metadata={"format": "pt"})
    export_adapters(trained / "adapters", trained / "final", trained / "shipped")
    model = load_encoder(AutoModelForSequenceClassification, trained / "shipped")
    assert torch.allclose(model.classifier.out_proj.bias, state["classifier.out_proj.bias"])


def test_the_folder_is_small_and_whole(shipped: Path) -> None:
    """It holds no weight of the encoder, and each file has its recorded hash."""
    names = load_file(shipped / WEIGHTS)
    assert all(".lora_" in name or name.startswith("classifier.") for name in names)
    assert {t.dtype for t in names.values()} == {torch.float16, torch.float32}
    check_sums(shipped)


def test_the_tokenizer_cuts_and_fills_nothing(shipped: Path) -> None:
    """The fixed lengths of the encoder's own tokenizer are left out."""
    tokenizer = json.loads((shipped / "tokenizer.json").read_text(encoding="utf-8"))
    assert (tokenizer["padding"], tokenizer["truncation"]) == (None, None)
    read = load_tokenizer(shipped)
    assert len(read("the cat sat on the mat from the long river")["input_ids"]) == 12
    assert len(read("the cat")["input_ids"]) == 4


def test_a_judge_of_adapters_judges(shipped: Path) -> None:
    """The windows, labels and batches of the pipeline fit such a model."""
    judge = NliJudge(str(shipped), parameters=EntailmentParameters(max_tokens=96))
    requests = [InferenceRequest("The cat sat on the mat.", text) for text in ("A cat sat.", "No")]
    for found in judge.judge(requests):
        assert found.entailment + found.neutral + found.contradiction == pytest.approx(1)


def test_the_identity_holds_encoder_and_adapters(shipped: Path) -> None:
    """Another encoder or another adapter is another model."""
    before = folder_sha256(shipped)
    record = json.loads((shipped / ADAPTERS).read_text(encoding="utf-8"))
    (shipped / ADAPTERS).write_text(json.dumps(record | {"sha256": "0" * 64}), encoding="utf-8")
    other = folder_sha256(shipped)
    state = load_file(shipped / WEIGHTS)
    save_file({name: value * 2 for name, value in state.items()}, shipped / WEIGHTS)
    assert len({before, other, folder_sha256(shipped)}) == 3


def test_an_encoder_that_was_not_fetched_is_a_sentence(shipped: Path) -> None:
    """Before anything is loaded, with the command that fetches it."""
    (base_folder(sha256_of_file(shipped.parent / "base" / WEIGHTS)) / WEIGHTS).unlink()
    for use in (registry.locate, registry.identity):
        with pytest.raises(ModelError, match="which is not on this machine") as error:
            use(str(shipped))
        assert "q2 models pull PROFILE" in error.value.hint


def test_a_changed_encoder_is_refused(shipped: Path) -> None:
    """The encoder is believed by its hash alone, whenever it is loaded."""
    weights = registry.require_base("", registry.read_record(shipped))  # type: ignore[arg-type]
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    with pytest.raises(ModelError, match="is not the file that was recorded") as error:
        registry.check_before_loading(str(shipped), shipped)
    assert str(weights.parent) in error.value.hint
    with pytest.raises(ModelError, match="is not the file that was recorded"):
        load_encoder(AutoModelForSequenceClassification, shipped)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"base": "x"}',
        '{"base": "x", "sha256": "../..", "rank": 4, "alpha": 8}',
        '{"base": "x", "sha256": "' + "0" * 64 + '", "rank": 0, "alpha": 8}',
    ],
    ids=["cut", "a list", "no hash", "a path", "no rank"],
)
def test_a_damaged_record_is_a_sentence(shipped: Path, text: str) -> None:
    """It is read before any weight, and leads to no other place."""
    (shipped / ADAPTERS).write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=r"adapters\.json"):
        registry.locate(str(shipped))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mpnet.pooler.lora_A.weight": torch.ones(4, 32)}, "fits no matrix"),
        ({"classifier.third.weight": torch.ones(4, 4)}, "hold the unknown classifier.third.weight"),
    ],
)
def test_adapters_of_another_encoder_are_refused(
    shipped: Path, change: dict[str, torch.Tensor], message: str
) -> None:
    """Nothing is left over and nothing is guessed."""
    state = load_file(shipped / WEIGHTS) | change
    save_file(state, shipped / WEIGHTS, metadata={"q2.storage": "float16-adapters"})
    with pytest.raises(ModelError, match=message):
        load_encoder(AutoModelForSequenceClassification, shipped)


def test_adapters_that_are_merged_otherwise_are_not_exported(trained: Path) -> None:
    """Variants of low-rank adapters have other sums, which loading would get wrong."""
    path = trained / "adapters" / "adapter_config.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(settings | {"use_rslora": True}), encoding="utf-8")
    with pytest.raises(ValueError, match="use_rslora"):
        export_adapters(trained / "adapters", trained / "final", trained / "shipped")
