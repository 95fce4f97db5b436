"""The batched stages against the paper's plain loop, on the shipped models."""

import csv
import json
import random
from itertools import chain
from types import SimpleNamespace

import pytest

from lab.benchmarks.loop import pair_scores
from lab.benchmarks.plain_loop import score_pair
from qsquared.language.models import build_models
from qsquared.method.q2.roundtrip import VARIANTS
from qsquared.profiles.loading import get_profile
from qsquared.storage.keys import pair_id
from qsquared.tasks.jobs.graph import AS_PUBLISHED
from qsquared.tasks.jobs.in_memory import run_stages
from tests.conftest import ROOT
from tests.tasks.fakes import WordRoles

LONGEST = 60, 200
"""Most characters of a reply and of its knowledge that are taken from the log."""

AWKWARD = [
    ("I am 42 and my sister Ann lives in Ely with my sister Ann.", ["Ann lives in Ely."]),
    ("  The \n Eiffel  Tower was opened in 1889 !! ", ["Opened 1889.", "The Eiffel Tower."]),
    ("ok", ["Nothing to say about this."]),
    ("…", ["An ellipsis."]),
    ("What do you think of your new bicycle? I like my new bicycle.", ["A bicycle is new."]),
    ("Our museum is in the town.", ["The museum stands in a town in our valley."]),
    ("A the in our an.", ["The."]),
    ("Bees make honey. Bees make wax. Ants make neither.", ["Ants make honey, bees make none."]),
]


def _log():
    for path in sorted((ROOT / "examples" / "logs").iterdir()):
        with path.open(encoding="utf-8", errors="replace", newline="") as handle:
            rows = csv.DictReader(handle) if path.suffix == ".csv" else map(_json, handle)
            yield from (row for row in rows if row is not None)


def _json(line):
    try:
        return json.loads(line)
    except ValueError:
        return None


def _passages(knowledge):
    if isinstance(knowledge, str) and knowledge.startswith("["):
        knowledge = json.loads(knowledge)
    texts = [knowledge] if isinstance(knowledge, str) else knowledge or []
    return [text for text in texts if text.strip()]


def make_pairs(number):
    """So many distinct pairs: short replies of the example log with several knowledge texts.

    Each reply meets its own, that of another turn, and both as two passages.
    Texts are short, so that the plain loop is bearable; one knowledge needs several windows.
    """
    turns = [
        (row["response"], _passages(row.get("knowledge")))
        for row in _log()
        if isinstance(row.get("response"), str) and 0 < len(row["response"].strip()) <= LONGEST[0]
    ]
    turns = [turn for turn in turns if turn[1] and sum(map(len, turn[1])) <= LONGEST[1]]
    made = []
    for index, (response, own) in enumerate(turns):
        other = turns[(index + 17) % len(turns)][1]
        made += [(response, own), (response, other), (response, [*other, *own])]
    windows = " ".join(text for _, knowledge in turns[:12] for text in knowledge)
    pairs = {pair_id(*pair): pair for pair in [*AWKWARD, (turns[5][0], [windows])]}
    random.Random(1).shuffle(made)  # so that all three are there in any number
    for pair in made:
        if len(pairs) < number:
            pairs[pair_id(*pair)] = pair
    assert len(pairs) == number
    return pairs


def _exact(score):
    """Return the values that have to be equal without tolerance."""
    return score.status, [
        (q.span_start, q.span, q.rank, q.question, q.knowledge_answer) for q in score.questions
    ]


def _numbers(score):
    of_questions = ((q.score, q.score_without_nli) for q in score.questions)
    return [score.q2, score.q2_without_nli, *chain.from_iterable(of_questions)]


def differences(plain, staged):
    """The pairs that the two decide differently, with both decisions."""
    assert list(staged) == list(plain)
    return {
        key: (score, staged[key])
        for key, score in plain.items()
        if _exact(staged[key]) != _exact(score)
        or _numbers(staged[key]) != pytest.approx(_numbers(score), abs=1e-6)
    }


def run_in_rows(pairs, models, variant):
    """The stages' tables over the pairs."""
    rows = [{"pair_id": key, "response": r, "knowledge": k} for key, (r, k) in pairs.items()]
    return run_stages(rows, models, parameters={AS_PUBLISHED: True, "variant": variant})


WORDS = ["Bob", "Ann", "Cleo", "the", "painter", "knows", "not", "was", "in", "I", "here"]


def make_word_pairs(number):
    """So many distinct pairs of a few words, with one or two passages."""
    draw = random.Random(2)

    def text(longest):
        return " ".join(draw.choices(WORDS, k=draw.randint(1, longest)))

    pairs = {}
    while len(pairs) < number:
        pair = text(5), [text(8) for _ in range(draw.randint(1, 2))]
        pairs[pair_id(*pair)] = pair
    return pairs


@pytest.mark.parametrize("variant", VARIANTS)
def test_batched_stages_decide_as_the_plain_loop_on_words(variant):
    """On small models that read words, which tell premise from hypothesis, nothing differs."""
    pairs = make_word_pairs(600)
    tables = run_in_rows(pairs, WordRoles(), variant)
    plain = {key: score_pair(*pair, WordRoles(), variant) for key, pair in pairs.items()}
    assert differences(plain, pair_scores(tables)) == {}
    verdicts = {row["verdict"] for row in tables["comparisons"]}
    assert verdicts == {"supported", "contradicted", "partial", "no_answer"}
    labels = {row["nli_label"] for row in tables["scores"]}
    assert labels == {"entailment", "neutral", "contradiction", None}


@pytest.fixture(scope="module")
def one_at_a_time():
    """The models of the plain loop: no two requests share a call, and none is made twice.

    Remembering spares half of the time; the stages are not given these.
    """
    models = build_models(get_profile("compact"))

    def remembering(ask):
        replies = {}

        def answer(requests):
            (request,) = requests
            if request not in replies:
                replies[request] = ask([request])
            return replies[request]

        return answer

    return SimpleNamespace(
        parser=SimpleNamespace(parse=remembering(models.parser.parse)),
        question_generation=SimpleNamespace(
            generate=remembering(models.question_generation.generate)
        ),
        question_answering=SimpleNamespace(answer=remembering(models.question_answering.answer)),
        entailment=SimpleNamespace(judge=remembering(models.entailment.judge)),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "number"), [("single", 200), ("multi", 40)])
def test_batched_stages_decide_as_the_plain_loop(variant, number, one_at_a_time):
    """Questions kept, answers and scores of every pair are those of one model call at a time."""
    models = build_models(get_profile("compact"))
    pairs = make_pairs(number)
    tables = run_in_rows(pairs, models, variant)
    plain = {key: score_pair(*pair, one_at_a_time, variant) for key, pair in pairs.items()}
    assert differences(plain, pair_scores(tables)) == {}

    # Else the agreement would say little.
    assert {score.status for score in plain.values()} == {"scored", "fallback_nli"}
    asked = [question for score in plain.values() for question in score.questions]
    assert len(asked) > number
    assert any(question.rank > 1 for question in asked)
    assert any(row["windows"] > 1 for row in tables["answers"])
    assert {row["reason"] for row in tables["roundtrip"]} >= {"kept", "mismatch", "personal"}
