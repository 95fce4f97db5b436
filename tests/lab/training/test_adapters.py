"""The training of low-rank adapters: its parameters, and the model that they are merged into."""

import argparse

import pytest
import torch
from transformers import AutoModelForQuestionAnswering, AutoModelForSequenceClassification

from lab.training.encoders import base, train
from lab.training.encoders.base import go_on_from, with_adapters
from lab.training.encoders.fit import Settings
from lab.training.encoders.rows import Rows
from lab.training.export import pack, pack_adapters, write_record
from lab.training.mean import mean_of_adapters, ship_mean
from lab.training.mixture.inference import Inference
from qsquared.language.checkpoints.shared_weights import WEIGHTS, AdapterRecord
from qsquared.language.checkpoints.weights import unpack
from tests.language.tiny_models import bert_qa, mpnet

IDS = torch.tensor([[0, 46, 47, 2, 2, 48, 49, 2]])


@pytest.fixture
def encoder(tmp_path, monkeypatch):
    """A judge of two layers without training, of which the higher gets adapters."""
    monkeypatch.setattr(base, "LAYERS", 1)
    return AutoModelForSequenceClassification.from_pretrained(mpnet(tmp_path / "m"), num_labels=3)


def test_adapters_of_the_highest_layers_and_the_head_are_trained(encoder):
    """The embeddings, the lower layers and the matrices themselves stay as they are."""
    model = with_adapters(encoder, 4)
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert trained
    for name in trained:
        assert (".layer.1." in name and ".lora_" in name) or ".classifier." in name
    for part in ("attn.q", "attn.k", "attn.v", "attn.o", "intermediate.dense", "output.dense"):
        assert any(f"{part}.lora_A" in name for name in trained)
    assert any("out_proj" in name for name in trained)


def test_the_head_of_a_reader_is_trained_whole(tmp_path, monkeypatch):
    """Its outputs are new, so a thin change of them is not enough."""
    monkeypatch.setattr(base, "LAYERS", 1)
    reader = AutoModelForQuestionAnswering.from_pretrained(bert_qa(tmp_path / "r"))
    model = with_adapters(reader, 4)
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert any("qa_outputs" in name and "lora" not in name for name in trained)


def test_the_merged_model_is_the_model_with_adapters(encoder):
    """And adapters that were not trained change nothing."""
    mask = torch.ones_like(IDS)
    with torch.inference_mode():
        before = encoder.eval()(input_ids=IDS, attention_mask=mask).logits
        model = with_adapters(encoder, 4).eval()
        assert torch.allclose(model(input_ids=IDS, attention_mask=mask).logits, before, atol=1e-5)
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(parameter, std=0.3)
        beside = model(input_ids=IDS, attention_mask=mask).logits
        merged = model.merge_and_unload()(input_ids=IDS, attention_mask=mask).logits
    assert torch.allclose(merged, beside, atol=1e-4)
    assert not torch.allclose(merged, before, atol=1e-2)


def test_shipped_adapters_and_their_head_are_trained_further(encoder, tmp_path):
    """The model judges as the shipped one until it is trained; another rank is refused."""
    shipped = with_adapters(encoder, 4)
    for parameter in shipped.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    state = {base._bare(n): p for n, p in shipped.named_parameters() if p.requires_grad}
    pack_adapters(state, tmp_path / WEIGHTS)
    write_record(tmp_path, AdapterRecord("encoder", "0" * 64, 4, 8))
    other = AutoModelForSequenceClassification.from_pretrained(mpnet(tmp_path / "m"), num_labels=3)
    further = with_adapters(other, 4)
    go_on_from(further, tmp_path)
    found = {base._bare(n): p for n, p in further.named_parameters() if p.requires_grad}
    assert found.keys() == state.keys()
    assert all(torch.allclose(found[name], state[name], atol=1e-3) for name in state)
    with pytest.raises(ValueError, match="rank 8"):
        go_on_from(with_adapters(encoder, 8), tmp_path)


class Prepared:
    """Examples of one source."""

    def __init__(self, *_, **__):
        pair = Inference("g", "p", "h", "neutral")
        self.train, self.development = [pair] * 8, {"made": [pair] * 250, "few": [pair] * 3}
        self.compared = []

    def judge(self):
        """Return them."""
        return self

    def table(self):
        """Return no counts."""
        return {}


@pytest.mark.parametrize(("rank", "rows"), [(0, 250), (16, 100)])
def test_a_large_encoder_is_measured_on_a_part(monkeypatch, tmp_path, rank, rows):
    """Of each source as many rows as it reads in a few seconds."""
    monkeypatch.setattr(train, "Preparation", Prepared)
    monkeypatch.setattr(train, "encode_nli", lambda _tokenizer, examples: Rows(list(examples)))
    arguments = argparse.Namespace(data=tmp_path, out=tmp_path, mixture=None, quick=None)
    settings = Settings(adapter_rank=rank)
    _, development, _ = train._encoded("nli", arguments, None, settings)
    assert {name: len(found) for name, found in development.items()} == {"made": rows, "few": 3}


def test_the_mean_of_judges_makes_the_mean_of_their_changes():
    """The mean has no higher rank than they have, and heads are averaged as they are."""
    torch.manual_seed(0)
    down = torch.randn(2, 6)
    judges = [
        {"q.lora_A.weight": down, "q.lora_B.weight": torch.randn(5, 2), "head.bias": torch.randn(3)}
        for _ in range(3)
    ]
    mean = mean_of_adapters(judges)
    changes = [judge["q.lora_B.weight"] @ judge["q.lora_A.weight"] for judge in judges]
    assert mean["q.lora_A.weight"].shape == (2, 6)
    assert torch.allclose(
        mean["q.lora_B.weight"] @ mean["q.lora_A.weight"], sum(changes) / 3, atol=1e-5
    )
    assert torch.allclose(mean["head.bias"], sum(j["head.bias"] for j in judges) / 3)


def test_no_mean_of_judges_of_other_ranks_is_shipped(tmp_path):
    """Their records differ."""
    folders = [tmp_path / "one", tmp_path / "other"]
    for rank, folder in enumerate(folders, 2):
        folder.mkdir()
        write_record(folder, AdapterRecord("encoder", "0" * 64, rank, 2 * rank))
    with pytest.raises(ValueError, match="ranks"):
        ship_mean(folders, tmp_path / "mean")


def test_the_mean_of_whole_judges_keeps_what_they_share(tmp_path):
    """And a judge that is named twice counts twice."""
    shared = torch.tensor([[0.5, -1.0]])
    folders = [tmp_path / "before", tmp_path / "after"]
    for folder, value in zip(folders, (0.0, 3.0), strict=True):
        folder.mkdir()
        pack({"shared": shared, "bias": torch.full((2,), value)}, folder / WEIGHTS)
    ship_mean([folders[0], folders[0], folders[1]], tmp_path / "mean")
    mean = unpack(tmp_path / "mean" / WEIGHTS)
    assert mean["bias"].tolist() == [1.0, 1.0]
    assert torch.equal(mean["shared"], unpack(folders[0] / WEIGHTS)["shared"])
