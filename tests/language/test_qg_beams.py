"""The T5 question generator."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertModel

from qsquared.errors import ModelError
from qsquared.language.shared_context import share_context
from qsquared.language.t5_questions import T5Questions, _distinct
from qsquared.profiles.model_parameters import BeamParameters
from qsquared.records import QuestionRequest, Span
from tests.language.tiny_models import t5_qg

SHORT = BeamParameters(max_question_tokens=12, max_tokens=64)


def _request(context: str, answer: str) -> QuestionRequest:
    start = context.rindex(answer)
    return QuestionRequest(context, Span(start, start + len(answer), answer, "entity"))


REQUESTS = [
    _request("Mary wrote a book in Paris.", "Paris"),
    _request("The river is long.", "The river"),
    _request("John won the race in 2004. He was new to it, and the dog sang.", "2004"),
    _request("Rome is the capital of Italy.", "Italy"),
    _request("Mary wrote a book in Paris.", "a book"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved model."""
    return t5_qg(tmp_path_factory.mktemp("qg") / "model")


@pytest.mark.parametrize("beam_size", [1, 5])
def test_batch_size_changes_no_question(folder: Path, beam_size: int) -> None:
    """Batches of one and of many give the same questions in the same order."""
    settings = BeamParameters(
        beam_size=beam_size, returned=beam_size, max_question_tokens=12, max_tokens=64
    )
    single = T5Questions(str(folder), parameters=settings, batch_size=1).generate(REQUESTS)
    many = T5Questions(str(folder), parameters=settings, batch_size=4).generate(REQUESTS)
    for ones, others in zip(single, many, strict=True):
        assert [q.question for q in ones] == [q.question for q in others]
        for one, other in zip(ones, others, strict=True):
            assert one.log_prob == pytest.approx(other.log_prob, abs=1e-4)


@pytest.mark.parametrize("beam_size", [1, 5])
def test_a_shared_context_changes_no_question(folder: Path, beam_size: int) -> None:
    """Beams that read one copy of their prompt ask what those with copies of their own ask."""
    settings = BeamParameters(
        beam_size=beam_size, returned=beam_size, max_question_tokens=12, max_tokens=64
    )
    generator = T5Questions(str(folder), parameters=settings, batch_size=3)
    generator.load()
    assert generator.shares_context
    shared = generator.generate(REQUESTS)
    generator.shares_context = False
    for ones, others in zip(generator.generate(REQUESTS), shared, strict=True):
        assert [q.question for q in ones] == [q.question for q in others]
        for one, other in zip(ones, others, strict=True):
            assert one.log_prob == pytest.approx(other.log_prob, abs=1e-4)


def test_only_a_t5_shares_its_context() -> None:
    """Another architecture is left as it is."""
    assert not share_context(BertModel(BertConfig(hidden_size=8, num_attention_heads=2)))


def test_questions_are_distinct_and_best_first(folder: Path) -> None:
    """A span gets at most five distinct questions, by falling log-probability, none above 0."""
    for questions in T5Questions(str(folder), parameters=SHORT).generate(REQUESTS):
        texts = [q.question for q in questions]
        scores = [q.log_prob for q in questions if q.log_prob is not None]
        assert 1 <= len(texts) == len(set(texts)) == len(scores) <= 5
        assert scores == sorted(scores, reverse=True)
        assert max(scores) <= 0.0
        assert {q.form for q in questions} == {"beam"}


def test_the_log_probability_is_the_models(folder: Path) -> None:
    """The greedy score is the mean log-probability that the model gives its own tokens."""
    greedy = BeamParameters(beam_size=1, returned=1, max_question_tokens=6, max_tokens=64)
    generator = T5Questions(str(folder), parameters=greedy)
    ((question,),) = generator.generate(REQUESTS[:1])
    loaded = generator.load()
    inputs = loaded.tokenizer(generator._prompt(REQUESTS[0]), return_tensors="pt")
    with torch.inference_mode():
        tokens = loaded.model.generate(**inputs, max_length=6, no_repeat_ngram_size=3)  # type: ignore[operator]
        logits = loaded.model(**inputs, decoder_input_ids=tokens[:, :-1]).logits
    steps = logits.log_softmax(-1).gather(2, tokens[:, 1:, None])[0, :, 0]
    assert len(set(tokens[0].tolist())) > 3
    assert question.log_prob == pytest.approx(float(steps.mean()), abs=1e-4)


def test_the_prompt_is_the_papers_with_one_end_token(folder: Path) -> None:
    """The prompt has the paper's two spaces, and the tokenizer alone ends it, once."""
    generator = T5Questions(str(folder), parameters=SHORT)
    prompt = generator._prompt(REQUESTS[0])
    assert prompt == "answer: Paris  context: Mary wrote a book in Paris."
    tokenizer = generator.load().tokenizer
    assert tokenizer(prompt)["input_ids"].count(tokenizer.eos_token_id) == 1


def test_a_long_context_is_cut_to_sentences_around_the_span(folder: Path) -> None:
    """A context above the window keeps whole sentences, the span's among them."""
    generator = T5Questions(str(folder), parameters=SHORT)
    sentences = ["The cat sat on the mat.", "Mary sang a song.", "The dog sat by the river."]
    context = " ".join(sentences * 5 + ["John won in 2004."] + sentences * 5)
    prompt = generator._prompt(_request(context, "2004"))
    assert prompt is not None
    assert len(generator.load().tokenizer(prompt)["input_ids"]) <= 64
    kept = prompt.removeprefix("answer: 2004  context: ")
    assert "John won in 2004." in kept
    assert kept in context
    assert kept.startswith(("The", "Mary", "John"))
    assert kept.endswith(".")


def test_a_sentence_above_the_window_is_cut_to_words(folder: Path) -> None:
    """In one endless sentence the words around the span are kept, and the span whole."""
    generator = T5Questions(str(folder), parameters=SHORT)
    context = "the cat and the dog and " * 20 + "the old city of Rome " + "or not the river " * 20
    prompt = generator._prompt(_request(context, "old city of Rome"))
    assert prompt is not None
    assert prompt.count("old city of Rome") == 2
    assert len(generator.load().tokenizer(prompt)["input_ids"]) <= 64


def test_a_span_above_the_window_gets_no_question(folder: Path) -> None:
    """An answer is never cut: where it does not fit there is no question, and no error."""
    context = "the cat and the dog and the river " * 20
    generator = T5Questions(str(folder), parameters=SHORT)
    assert generator.generate([_request(context, context.strip()), REQUESTS[0]])[0] == []


def test_the_prefix_is_stripped_and_the_best_rank_kept() -> None:
    """The model's `question: ` goes, blank questions too, and of equals the first stays."""
    found = _distinct(
        ["question: Who?", " Question:  Who? ", "question: ", "Where?"], [-1, -2, -3, -4]
    )
    assert [(q.question, q.log_prob) for q in found] == [("Who?", -1), ("Where?", -4)]


def test_weights_that_are_not_numbers_are_an_error(tmp_path: Path) -> None:
    """A NaN never comes out as a log-probability; the error names the model."""
    folder = t5_qg(tmp_path / "broken")
    state = load_file(folder / "model.safetensors")
    name = "encoder.final_layer_norm.weight"
    state[name] = torch.full_like(state[name], float("nan"))
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"broken.*not a finite number"):
        T5Questions(str(folder), parameters=SHORT).generate(REQUESTS[:1])
