"""Tests that a batch that does not fit in memory is halved, without a change of decisions."""

import logging
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.language.judging.nli import NliJudge
from qsquared.language.neural.batches import ShrinkingBatch, is_out_of_memory
from qsquared.language.t5_questions import T5Questions
from qsquared.profiles.model_parameters import (
    BeamParameters,
    EntailmentParameters,
    ReadingParameters,
)
from qsquared.records import InferenceRequest, QuestionRequest, ReadingRequest, Span
from tests.language.tiny_models import bert_nli, bert_qa, t5_qg

FITS = 3
"""Rows that the tests' device has memory for."""


def allocate_too_much():
    """Raise the error of torch's CPU allocator."""
    return torch.empty(1 << 50)


def limited(call, most):
    """The function on tensors, which runs out of memory on more rows than ``most``."""

    def limit(*args, **inputs):
        if inputs["input_ids"].shape[0] > most:
            allocate_too_much()
        return call(*args, **inputs)

    return limit


def reader(folder):
    """A question answering model, and what to ask it."""
    made = ExtractiveAnswers(
        str(folder),
        parameters=ReadingParameters(max_tokens=48, stride=12),
        batch_size=8,
        engine="torch",
    )
    texts = ["Mary wrote a book in Paris. " * n for n in range(1, 6)]
    return (
        made,
        made.answer,
        [ReadingRequest(q, t) for t in texts for q in ("Who?", "When was it?")],
    )


def judge(folder):
    """An entailment model, and what to ask it."""
    made = NliJudge(
        str(folder),
        parameters=EntailmentParameters(max_tokens=64),
        batch_size=8,
        engine="torch",
    )
    pairs = [("The cat sat. " * n, f"The {w} sat.") for n in range(1, 9) for w in ("cat", "dog")]
    return made, made.judge, [InferenceRequest(*pair) for pair in pairs]


def generator(folder):
    """A question generator, and what to ask it."""
    made = T5Questions(
        str(folder),
        parameters=BeamParameters(beam_size=2, returned=2, max_question_tokens=8, max_tokens=64),
        batch_size=8,
    )
    context = "Mary wrote a book in Paris in 1990 and John won the race in Rome."
    words = ["Mary", "a book", "Paris", "1990", "John", "the race", "Rome"]
    spans = [Span(context.index(w), context.index(w) + len(w), w, "entity") for w in words]
    return made, made.generate, [QuestionRequest(context, span) for span in spans]


ROLES = {
    "question answering": (bert_qa, reader, "forward"),
    "entailment": (bert_nli, judge, "forward"),
    "question generation": (t5_qg, generator, "generate"),
}


def decided(reply):
    """A reply without the numbers, which rounding may change in their last digits."""
    if isinstance(reply, list):
        return [question.question for question in reply]
    return (
        (reply.text, reply.start, reply.end, reply.windows)
        if hasattr(reply, "text")
        else reply.label
    )


@pytest.fixture(scope="module", params=ROLES)
def role(request, tmp_path_factory):
    """The folder of a tiny checkpoint, what makes its model, and its forward function's name."""
    save, make, forward = ROLES[request.param]
    return save(tmp_path_factory.mktemp("memory") / "model"), make, forward


def test_a_batch_that_does_not_fit_is_halved_and_changes_no_decision(role, caplog):
    """The replies are those with memory enough, and the run says once that it took smaller batches."""
    folder, make, forward = role
    _, ask, requests = make(folder)
    expected = [decided(reply) for reply in ask(requests)]
    model, ask, requests = make(folder)
    network = model.load().model
    setattr(network, forward, limited(getattr(network, forward), FITS))
    with caplog.at_level(logging.WARNING, logger="qsquared"):
        logging.getLogger("qsquared").addHandler(caplog.handler)
        try:
            found = [decided(reply) for reply in ask(requests)]
            ask(requests)
        finally:
            logging.getLogger("qsquared").removeHandler(caplog.handler)
    assert found == expected
    assert model.batch.size in range(1, FITS + 1)
    said = {record.getMessage() for record in caplog.records}
    assert len(said) == 1
    assert str(folder) in said.copy().pop()
    assert "smaller batches" in said.pop()


def test_a_row_that_does_not_fit_alone_is_an_error_of_memory(role):
    """Nothing is smaller than one row, and no model is blamed."""
    folder, make, forward = role
    model, ask, requests = make(folder)
    network = model.load().model
    setattr(network, forward, limited(getattr(network, forward), 0))
    with pytest.raises(
        MemoryError, match=f"{folder}.*does not fit one input.*can't allocate memory"
    ):
        ask(requests)


@pytest.mark.parametrize("most", [1, 2, 5, 8, 100])
def test_every_row_goes_through_once_in_its_order(most):
    """Whatever fits, each index has its own output exactly once."""
    batch = ShrinkingBatch("The model", 8)
    done = []

    def forward(indices):
        if len(indices) > most:
            allocate_too_much()
        done.extend(indices)
        return [index * 10 for index in indices]

    order = list(range(21, 0, -1))
    assert list(batch.run(order, forward)) == [(index, index * 10) for index in order]
    assert done == order


def test_an_error_of_another_kind_is_not_tried_again():
    """A shape that does not fit is a defect, and no smaller batch would mend it."""
    calls = []

    def forward(indices):
        calls.append(indices)
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    with pytest.raises(RuntimeError, match="shapes"):
        list(ShrinkingBatch("The model", 8).run(range(4), forward))
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"), True),
        (RuntimeError("MPS backend out of memory (MPS allocated: 8 GB)"), True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (RuntimeError("expected scalar type Float"), False),
        (ValueError("the text says: out of memory"), False),
    ],
)
def test_a_failed_allocation_is_distinguished_from_other_errors(error, is_memory):
    """By its type or by torch's words in an error of the machine; never by those in a value."""
    assert is_out_of_memory(error) is is_memory


_UNDER_A_LIMIT = """
import resource, torch
from qsquared.language.neural.batches import ShrinkingBatch

with open("/proc/self/statm") as statm:
    size = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (400 << 20),) * 2)
batch = ShrinkingBatch("The model", 16)

def forward(rows):  # 64 MiB a row: four fit, eight do not
    return torch.tensor(rows)[:, None].expand(-1, 16 << 20).to(torch.float32).amax(1).tolist()

found = dict(batch.run(range(40), forward))
assert found == {row: float(row) for row in range(40)}
print(batch.size)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
def test_a_real_limit_on_memory_is_met_with_smaller_batches():
    """In a process that may not allocate more, the kernel's refusal is met as torch's is."""
    done = subprocess.run(
        [sys.executable, "-c", _UNDER_A_LIMIT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "4"
    assert "ran out of memory on a batch of 16" in done.stderr


class Scarce:
    """An encoder whose passes run out of memory on more than two rows, as OpenVINO says it."""

    def __init__(self, encoder):
        self.encoder = encoder
        self.streams = encoder.streams

    def start(self, rows):
        """Begin a pass, which fails when it is waited for if it has too many rows."""
        if len(rows["input_ids"]) <= 2:
            return self.encoder.start(rows)
        return SimpleNamespace(wait=no_memory, drop=lambda: None)


def no_memory():
    """Raise the error of OpenVINO's allocator."""
    raise RuntimeError("Exception from src/inference: std::bad_alloc")


def test_a_converted_encoder_goes_on_in_smaller_batches(tmp_path):
    """Passes that were begun together and do not fit are run again in halves, with equal replies."""
    made = ExtractiveAnswers(
        str(bert_qa(tmp_path / "model")),
        parameters=ReadingParameters(max_tokens=48, stride=12),
        batch_size=8,
        engine="openvino",
    )
    texts = ["Mary wrote a book in Paris. " * n for n in range(1, 6)]
    requests = [ReadingRequest(q, t) for t in texts for q in ("Who?", "When was it?")]
    expected = [decided(reply) for reply in made.answer(requests)]
    loaded = made.load()
    object.__setattr__(loaded, "run", Scarce(loaded.run))
    object.__setattr__(loaded, "exact", loaded.run)
    assert [decided(reply) for reply in made.answer(requests)] == expected
    assert made.batch.size == 2
