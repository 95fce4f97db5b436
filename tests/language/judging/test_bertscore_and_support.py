"""The encoder of BERTScore and the learned consistency model, on tiny random models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from bert_score.utils import bert_cos_score_idf
from pydantic import ValidationError

from qsquared.errors import ModelError
from qsquared.language.judging.bertscore import TokenSimilarity
from qsquared.language.judging.nli import ConsistencyJudge, NliJudge
from qsquared.language.neural.sequence_classifier import SequenceClassifier
from qsquared.method.knowledge.evidence import views
from qsquared.profiles.model_parameters import (
    ConsistencyParameters,
    EntailmentParameters,
    SimilarityParameters,
)
from qsquared.records import InferenceRequest
from tests.language.tiny_models import bert_nli, deberta_nli

PAIRS = [
    ("mary wrote a book", "mary wrote a long book"),
    ("the cat sat", "the dog sat on the mat"),
    ("rome", "rome"),
    ("the old river is in italy . " * 12, "the new city is in france . " * 9),
]
SHORT = SimilarityParameters(max_tokens=64, classifier=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved classifier of two labels."""
    return bert_nli(tmp_path_factory.mktemp("model") / "model", ("unsupported", "supported"))


def test_short_texts_score_as_the_package_scores_them(folder: Path) -> None:
    """bert-score's own way from texts to F1, without weights by rarity."""
    ours = TokenSimilarity(str(folder), parameters=SHORT)
    found = ours.compare(PAIRS[:3])
    loaded = ours.load()
    special = {loaded.tokenizer.cls_token_id, loaded.tokenizer.sep_token_id}
    weights = {token: float(token not in special) for token in range(len(loaded.tokenizer))}
    loaded.tokenizer.model_max_length = 64
    candidates, references = zip(*PAIRS[:3], strict=True)
    theirs = bert_cos_score_idf(
        loaded.model.base_model, list(references), list(candidates), loaded.tokenizer, weights,
        device="cpu",
    )  # fmt: skip
    got = torch.tensor([[one.precision, one.recall, one.f1] for one in found])
    assert got.numpy() == pytest.approx(theirs.numpy(), abs=1e-4)
    assert found[2].f1 == pytest.approx(1.0, abs=1e-4)


def test_batch_size_changes_no_similarity_and_long_texts_are_read_whole(folder: Path) -> None:
    """The end of a text above the window counts."""
    one = TokenSimilarity(str(folder), parameters=SHORT, batch_size=1).compare(PAIRS)
    many = TokenSimilarity(str(folder), parameters=SHORT, batch_size=8).compare(PAIRS)
    assert [s.f1 for s in one] == pytest.approx([s.f1 for s in many], abs=1e-4)
    long = PAIRS[3][0]
    changed = TokenSimilarity(str(folder), parameters=SHORT).compare(
        [(long, long), (long + "1990 2004 blue song", long)]
    )
    assert changed[0].precision == pytest.approx(1.0, abs=1e-4)
    assert changed[1].precision < changed[0].precision


def test_an_empty_text_matches_nothing(folder: Path) -> None:
    """No NaN."""
    found = TokenSimilarity(str(folder), parameters=SHORT).compare([("", "rome"), ("rome", " ")])
    assert [(s.precision, s.recall, s.f1) for s in found] == [(0.0, 0.0, 0.0)] * 2


def test_the_label_that_means_support_is_named_by_the_profile(folder: Path) -> None:
    """A probability between 0 and 1; another name of the label is refused with the names there are."""
    parameters = ConsistencyParameters(max_tokens=64, supported="supported")
    request = InferenceRequest("mary wrote a book", "mary wrote")
    (yes,) = ConsistencyJudge(str(folder), parameters=parameters).support([request])
    other = ConsistencyParameters(max_tokens=64, supported="unsupported")
    (no,) = ConsistencyJudge(str(folder), parameters=other).support([request])
    assert yes.probability + no.probability == pytest.approx(1.0)
    with pytest.raises(ModelError, match="has the labels unsupported, supported"):
        ConsistencyJudge(str(folder), parameters=ConsistencyParameters(max_tokens=64)).support(
            [request]
        )


def test_long_knowledge_is_read_in_windows_of_which_the_best_counts(folder: Path) -> None:
    """And the response sentence by sentence, of which the mean counts."""
    whole = ConsistencyParameters(max_tokens=64, supported="supported", by_sentence=False)
    judge = ConsistencyJudge(str(folder), parameters=whole)
    sentences = ["The cat sat on the mat. " * 3, "Mary wrote a book. " * 4]
    long = InferenceRequest("".join(sentences) * 4, "mary sang.")
    (found,) = judge.support([long])
    assert found.pieces > 1
    by = ConsistencyParameters(max_tokens=64, supported="supported")
    parted = ConsistencyJudge(str(folder), parameters=by)
    both = parted.support([InferenceRequest("rome is old.", "It is old. It is in italy.")])
    each = parted.support(
        [InferenceRequest("rome is old.", one) for one in ("It is old.", "It is in italy.")]
    )
    assert both[0].probability == pytest.approx(sum(s.probability for s in each) / 2, abs=1e-6)
    assert both[0].pieces == 2


def test_a_claim_is_supported_by_its_best_evidence(folder: Path) -> None:
    """Beside long knowledge each sentence is judged with its views, of which the best counts; their mean counts."""
    plain = ConsistencyParameters(max_tokens=64, supported="supported", by_sentence=False)
    chosen = ConsistencyParameters(max_tokens=64, supported="supported", evidence=True)
    other = " ".join(f"the old city of rome is not in france in {1900 + i}." for i in range(20))
    knowledge = f"{other} Mary wrote a long book. The dog sat on the mat."
    replies = ("Mary wrote a book.", "The dog sat on a mat.")
    (found,) = ConsistencyJudge(str(folder), parameters=chosen).support(
        [InferenceRequest(knowledge, " ".join(replies))]
    )
    read = {reply: views(reply, [knowledge]) for reply in replies}
    each = ConsistencyJudge(str(folder), parameters=plain)
    best = [
        max(s.probability for s in each.support([InferenceRequest(v, reply) for v in parts]))
        for reply, parts in read.items()
    ]
    assert found.probability == pytest.approx(sum(best) / 2, abs=1e-6)
    assert found.pieces >= sum(len(parts) for parts in read.values()) == 4


def test_a_sentence_that_the_judge_has_judged_is_not_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Support is read off the judge's shares if both have the same weights; else the model is asked."""
    weights = str(bert_nli(tmp_path / "model"))
    read: list[tuple[str, str]] = []
    original = SequenceClassifier._softmax

    def counted(model: Any, pairs: Any, *encoder: Any) -> list[list[float]]:
        read.extend(pairs)
        return original(model, pairs, *encoder)

    monkeypatch.setattr(SequenceClassifier, "_softmax", counted)
    window = ConsistencyParameters(max_tokens=64)
    request = InferenceRequest("mary wrote a book.", "mary wrote.")
    judge = NliJudge(weights, parameters=EntailmentParameters(max_tokens=64))
    shared, alone = (ConsistencyJudge(weights, parameters=window) for _ in range(2))
    shared.share(judge)
    (judged,) = judge.judge([request])
    assert len(read) == 1
    (found,) = shared.support([request])
    assert len(read) == 1
    assert found.probability == judged.entailment
    assert alone.support([request]) == [found]
    assert len(read) == 2
    other = ConsistencyJudge(weights, parameters=window, precision="bf16")
    other.share(judge)
    other.support([request])
    assert len(read) == 3
    judge.forget()
    judge.judge([request, InferenceRequest("mary wrote a book.", "mary sang.")])
    assert len(read) == 5


def test_short_knowledge_is_read_whole_whether_evidence_is_chosen_or_not(folder: Path) -> None:
    """There is nothing to choose; each sentence of the reply is judged by itself."""
    parted = ConsistencyParameters(max_tokens=64, supported="supported")
    chosen = ConsistencyParameters(max_tokens=64, supported="supported", evidence=True)
    request = InferenceRequest("mary wrote a book.", "mary wrote. she sang.")
    assert ConsistencyJudge(str(folder), parameters=chosen).support([request]) == ConsistencyJudge(
        str(folder), parameters=parted
    ).support([request])


@pytest.mark.parametrize("engine", ["torch", "openvino"])
def test_a_template_puts_both_texts_into_one(tmp_path: Path, engine: str) -> None:
    """A reply beside its knowledge is read as the template's text alone, braces in the texts included."""
    folder = str(deberta_nli(tmp_path / "model", ("LABEL_0", "LABEL_1")))
    template = 'Is "{hypothesis}" true, by {premise}?'
    one = ConsistencyParameters(max_tokens=64, supported="1", template=template)
    judge = ConsistencyJudge(folder, parameters=one, engine=engine)  # type: ignore[arg-type]
    request = InferenceRequest("mary {hypothesis} wrote.", "mary wrote {premise}.")
    (found,) = judge.support([request])
    loaded = judge.load()
    whole = 'Is "mary wrote {premise}." true, by mary {hypothesis} wrote.?'
    rows = {
        name: [value]
        for name, value in loaded.tokenizer(whole).items()
        if name in loaded.config.inputs
    }
    (logits,) = loaded.run.start(rows).wait()
    shares = np.exp(logits[0]) / np.exp(logits[0]).sum()
    assert found.probability == pytest.approx(float(shares[1]), abs=1e-5)
    long = InferenceRequest("the cat sat on the mat . " * 30, "the dog sat.")
    assert judge.support([long])[0].pieces > 1


def test_a_template_without_both_places_is_refused() -> None:
    """And a model that reads pairs has the identity that it had before there were templates."""
    with pytest.raises(ValidationError, match="once each"):
        ConsistencyParameters(template="only {premise}")
    assert "template" not in ConsistencyParameters().model_dump_json()
