"""Tests of the shipped models: their checksums, their size, and their decisions on plain cases."""

import re
import shutil
from pathlib import Path

import pytest
import torch

from qsquared.errors import ModelError
from qsquared.language.checkpoints.checksums import check_sums
from qsquared.language.checkpoints.registry import verify
from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.language.models import build_models
from qsquared.method.begin import best_label
from qsquared.profiles.loading import get_profile
from qsquared.records import InferenceRequest, RatingRequest, ReadingRequest, ReplyRequest

MODELS = Path(__file__).parents[3] / "models"
SHIPPED = sorted(path.parent for path in MODELS.glob("*/SHA256SUMS"))
KNOWLEDGE = (
    "Bob Ross was the creator and host of The Joy of Painting, an instructional television "
    "program that aired from 1983 to 1994 on PBS in the United States."
)


@pytest.fixture(scope="module")
def models():
    """The models of the default profile."""
    return build_models(get_profile("compact"))


def test_the_shipped_files_are_the_recorded_ones():
    """Every file of the models has its recorded SHA-256."""
    assert verify(get_profile("compact")) == [
        "bundled:compact-qa",
        "bundled:compact-nli",
        "bundled:compact-begin",
        "bundled:compact-glue",
    ]


def test_a_tampered_shipped_file_is_refused(tmp_path):
    """One changed byte of the weights is named before anything is loaded."""
    folder = tmp_path / "compact-qa"
    shutil.copytree(MODELS / "compact-qa", folder)
    weights = folder / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[len(data) // 2] ^= 1
    weights.write_bytes(data)
    with pytest.raises(ModelError, match=r"model\.safetensors"):
        check_sums(folder)


def test_the_models_of_compact_are_under_sixty_four_megabytes():
    """Small enough to come with the package."""
    weights = MODELS.glob("compact-*/*.safetensors")
    assert sum(path.stat().st_size for path in weights) < 64_000_000


def test_all_adapters_are_under_sixty_megabytes():
    """The encoders that they rest on are fetched apart."""
    folders = [path.parent for path in MODELS.glob("*/adapters.json")]
    files = [path for folder in folders for path in folder.iterdir()]
    assert sum(path.stat().st_size for path in files) < 60_000_000


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_each_shipped_folder_has_its_recorded_files(folder):
    """That of adapters, too, whose encoder need not be there."""
    check_sums(folder)


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_each_model_has_a_card_and_the_card_names_its_hash(folder):
    """The card is about the weights beside it."""
    card = (folder / "README.md").read_text()
    recorded = re.search(r"(\w{64})  model\.safetensors", (folder / "SHA256SUMS").read_text())
    assert recorded is not None
    assert recorded.group(1) in card


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who was the host of The Joy of Painting?", "Bob Ross"),
        ("On what did the program air?", "PBS"),
        ("In what country did the program air?", "the United States"),
        ("When did the program air?", "1983 to 1994"),
    ],
)
def test_the_reader_finds_plain_answers(models, question, answer):
    """Names, places and years are found, and cut out of the text as they stand."""
    (found,) = models.question_answering.answer([ReadingRequest(question, KNOWLEDGE)])
    assert found.text is not None
    assert answer in found.text or found.text in answer
    assert KNOWLEDGE[found.start : found.end] == found.text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who wrote the opera?", KNOWLEDGE),
        ("What is the capital of Norway?", "Coffee is grown in Brazil."),
        ("How many strings does it have?", "My dog likes the garden."),
    ],
)
def test_the_reader_says_when_there_is_no_answer(models, question, text):
    """A question that the text has nothing to do with gets none."""
    (found,) = models.question_answering.answer([ReadingRequest(question, text)])
    assert found.text is None


@pytest.mark.parametrize(
    ("premise", "hypothesis", "label"),
    [
        ("A man is sleeping on a bench.", "A man is asleep.", "entailment"),
        ("A man is sleeping on a bench.", "A man is running a race.", "contradiction"),
        ("A man walks his dog.", "The man is on his way to his wedding.", "neutral"),
        ("When was it built? 1887.", "When was it built? 1920.", "contradiction"),
    ],
)
def test_the_judge_decides_plain_cases(models, premise, hypothesis, label):
    """Entailed, contradicted and neutral pairs, and answers in the form of the metric."""
    (judged,) = models.entailment.judge([InferenceRequest(premise, hypothesis)])
    assert judged.label == label


def test_an_answer_does_not_depend_on_its_neighbours(models):
    """Alone or among longer ones a request gets the same decision and the same scores."""
    requests = [
        ReadingRequest("Who was the host?", KNOWLEDGE),
        ReadingRequest("What?", "Yes."),
        ReadingRequest("Where is coffee grown?", "Coffee is grown in Brazil. " * 30),
    ]
    together = models.question_answering.answer(requests)
    for request, among in zip(requests, together, strict=True):
        (alone,) = models.question_answering.answer([request])
        assert (alone.text, alone.start) == (among.text, among.start)
        assert alone.score == pytest.approx(among.score, abs=1e-4)


def test_threads_change_no_decision(models):
    """On one thread and on two the answers are the same, and scores differ by rounding only."""
    requests = [
        ReadingRequest("Who was the host of The Joy of Painting?", KNOWLEDGE),
        ReadingRequest("Where is coffee grown?", "Coffee is grown in Brazil. " * 30),
        ReadingRequest("What is the capital of Norway?", KNOWLEDGE),
    ]
    judged = [InferenceRequest(KNOWLEDGE, request.text) for request in requests]
    before = torch.get_num_threads()
    found = {}
    for threads in (1, 2):
        torch.set_num_threads(threads)
        found[threads] = (
            models.question_answering.answer(requests),
            models.entailment.judge(judged),
        )
    torch.set_num_threads(before)
    for one, two in zip(found[1][0], found[2][0], strict=True):
        assert (one.text, one.start) == (two.text, two.start)
        assert one.score == pytest.approx(two.score, abs=1e-4)
    for one, two in zip(found[1][1], found[2][1], strict=True):
        assert one.label == two.label
        assert one.entailment == pytest.approx(two.entailment, abs=1e-5)


def test_a_judgement_does_not_depend_on_its_neighbours(models):
    """Alone or among longer ones a pair gets the same label and, but for rounding, probabilities."""
    requests = [
        InferenceRequest(KNOWLEDGE, "Bob Ross hosted it."),
        InferenceRequest("A man walks his dog.", "No."),
        InferenceRequest("Coffee is grown in Brazil. " * 30, "Coffee is grown in Peru."),
    ]
    together = models.entailment.judge(requests)
    for request, among in zip(requests, together, strict=True):
        (alone,) = models.entailment.judge([request])
        assert alone.label == among.label
        assert alone.entailment == pytest.approx(among.entailment, abs=1e-5)


def test_batches_of_one_decide_as_batches_of_many(models):
    """Batch size is no part of a score."""
    requests = [
        ReadingRequest(f"What happened in {y}?", f"In {y} the bridge fell.")
        for y in range(1900, 1920)
    ]
    one = ExtractiveAnswers(
        "bundled:compact-qa",
        parameters=get_profile("compact").question_answering.parameters,
        batch_size=1,
    )
    assert [a.text for a in one.answer(requests)] == [
        a.text for a in models.question_answering.answer(requests)
    ]


@pytest.mark.parametrize(
    ("task", "better", "worse"),
    [
        ("cola", ("The cat sat on the mat.", None), ("Cat the mat on sat the.", None)),
        ("sst2", ("a wonderful film , full of joy", None), ("a dull and stupid film", None)),
        (
            "stsb",
            ("A man plays the guitar.", "A man is playing a guitar."),
            ("A man plays the guitar.", "The stock market fell on Monday."),
        ),
        (
            "mrpc",
            ("The firm said profits rose 5 percent.", "Profits rose 5 percent, the firm said."),
            ("The firm said profits rose 5 percent.", "Two people were hurt in a fire on Monday."),
        ),
        (
            "qnli",
            ("Bob Ross hosted The Joy of Painting.", "Who hosted The Joy of Painting?"),
            ("Lima is the capital of Peru.", "Who hosted The Joy of Painting?"),
        ),
        (
            "rte",
            ("Bob Ross hosted a show.", "Bob Ross hosted The Joy of Painting, a show on PBS."),
            (
                "Bob Ross never hosted a show.",
                "Bob Ross hosted The Joy of Painting, a show on PBS.",
            ),
        ),
    ],
)
def test_the_indicators_tell_plain_cases_apart(models, task, better, worse):
    """Each task that the profile provides; QQP it does not."""
    ratings = models.indicators
    assert ratings.tasks == ("cola", "sst2", "mrpc", "stsb", "qnli", "rte")
    good, bad = ratings.rate([RatingRequest(task, *better), RatingRequest(task, *worse)])
    assert good.value > bad.value


@pytest.mark.parametrize(
    ("response", "label"),
    [
        ("It aired from 1983 to 1994 on PBS.", "entailment"),
        ("Bob Ross was the host of The Joy of Painting.", "entailment"),
        ("I'm not sure, I never thought about that!", "generic"),
        ("That sounds like fun, do you like it?", "generic"),
        ("Bob Ross was not the creator of The Joy of Painting.", "contradiction"),
    ],
)
def test_the_classifier_tells_plain_replies(models, response, label):
    """Replies that the knowledge says, that fit anything, and that it denies get their classes."""
    request = ReplyRequest(KNOWLEDGE, "Who was the host of that program?", response)
    (found,) = models.reply_classification.classify([request])
    assert best_label(found) == label
