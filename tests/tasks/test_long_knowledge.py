"""Tests of the stages that judge replies beside long knowledge: sentence by sentence."""

import pytest

from qsquared.method.knowledge.evidence import VIEWS, views
from qsquared.method.knowledge.excerpts import QUESTION_WORDS
from qsquared.records import InferenceRequest
from tests.tasks.fakes import WordInference, WordRoles

OTHERS = [f"Nothing was said of harbour {word} that year." for word in "abcdefghijklmnopqrstuvwxyz"]
BUILT = "The mill of Turin was built by Anna."
BURNT = "The mill of Turin burnt in 1901."
KNOWLEDGE = " ".join([*OTHERS[:9], BUILT, *OTHERS[9:18], BURNT, *OTHERS[18:]])
JOINED = "The mill of Turin was built by Anna burnt in 1901."
"""A claim that two sentences of the knowledge make true together, and none alone."""
WRONG = "Peter painted a lighthouse."


class Noting(WordInference):
    """A judge that notes its requests."""

    def __init__(self):
        self.asked = []

    def judge(self, requests):
        """Note, and judge by words."""
        self.asked += requests
        return super().judge(requests)


@pytest.fixture
def roles():
    """Fake models, of which the judge notes its requests."""
    return WordRoles(entailment=Noting())


def judged(run_q2, *pairs, **parameters):
    """The rows of the metric."""
    return run_q2(*pairs, metric="e2e_nli", **parameters)["nli"]


def test_a_claim_is_judged_beside_its_evidence_alone(run_q2, roles):
    """Both sentences that make it true are in it, and most others are not."""
    assert len(KNOWLEDGE.split()) > VIEWS[-1]
    (row,) = judged(run_q2, (JOINED, KNOWLEDGE))
    assert row["nli_label"] == "entailment"
    read = views(JOINED, [KNOWLEDGE])
    assert roles.entailment.asked == [InferenceRequest(view, JOINED) for view in read]
    assert max(len(view.split()) for view in read) <= VIEWS[-1]


def test_a_reply_beside_long_knowledge_is_the_mean_of_its_sentences(run_q2):
    """One of two sentences is entailed, so the reply is half."""
    right, wrong, both = judged(
        run_q2, (BUILT, KNOWLEDGE), (WRONG, KNOWLEDGE), (f"{BUILT} {WRONG}", KNOWLEDGE)
    )
    assert right["nli_entailment"] > wrong["nli_entailment"]
    for name in ("nli_entailment", "nli_neutral", "nli_contradiction"):
        assert both[name] == pytest.approx((right[name] + wrong[name]) / 2)


@pytest.mark.parametrize(
    "parameters", [{"nli_by": None}, {"fallback_premise": "response"}], ids=["whole", "turned"]
)
def test_by_the_papers_rules_both_texts_are_judged_whole(run_q2, roles, parameters):
    """With all of the knowledge, and so it is with the response as premise."""
    reply = f"{BUILT} {WRONG}"
    judged(run_q2, (reply, KNOWLEDGE), **parameters)
    asked = roles.entailment.asked[-1]
    assert {asked.premise, asked.hypothesis} == {KNOWLEDGE, reply}


def test_each_sentence_of_a_reply_is_judged_once(run_q2, roles):
    """However many stages read its judgement."""
    run_q2((f"{BURNT} {WRONG}", f"{BUILT} {BURNT[:-1]} again."), metric="blend")
    hypotheses = [request.hypothesis for request in roles.entailment.asked]
    assert hypotheses.count(BURNT) == 1
    assert hypotheses.count(WRONG) == 1
    assert f"{BURNT} {WRONG}" not in hypotheses


def test_a_sentence_that_stands_in_the_knowledge_is_entailed_and_not_judged(run_q2, roles):
    """A copy is not a judge's to doubt."""
    tables = run_q2((f"{BUILT} {WRONG}", KNOWLEDGE), metric="blend")
    copied, judged = tables["sentence_entailment"]
    assert (copied["decided_by"], copied["entailment"], copied["nli_label"]) == (
        "copy",
        1.0,
        "entailment",
    )
    assert judged["decided_by"] == "judge"
    assert BUILT not in [request.hypothesis for request in roles.entailment.asked]


def test_a_sentence_that_fails_fails_its_reply_alone(run_q2):
    """A mean without one of its sentences would be another mean."""
    broken = KNOWLEDGE.replace("burnt in 1901", "burnt in 1901 JUDGE FAILS")
    failed, sound = judged(run_q2, (f"{BUILT} {BURNT}", broken), (BUILT, KNOWLEDGE))
    assert failed["nli"] is None
    assert "nan" in failed["error"]
    assert (sound["nli_label"], sound["error"]) == ("entailment", None)


def test_a_failure_in_what_is_not_read_is_none(run_q2):
    """Only the chosen evidence goes to the judge."""
    broken = KNOWLEDGE.replace("harbour z", "harbour z JUDGE FAILS")
    (row,) = judged(run_q2, (f"{BUILT} {BURNT}", broken))
    assert row["error"] is None


def read_for_answers(roles):
    """The texts that the reader was asked about beside the reply itself."""
    return [r.text for batch in roles.question_answering.asked for r in batch if r.text != BUILT]


def test_a_question_is_read_on_the_sentences_that_may_answer_it(run_q2, roles):
    """Of long knowledge; the answer's place is that in the whole passage."""
    assert len(KNOWLEDGE.split()) > QUESTION_WORDS
    tables = run_q2((BUILT, KNOWLEDGE), sentences=None)
    read = read_for_answers(roles)
    assert read
    assert all(BUILT in text and len(text.split()) <= QUESTION_WORDS for text in read)
    answered = [row for row in tables["answers"] if row["knowledge_answer"]]
    assert answered
    for row in answered:
        found = KNOWLEDGE[row["knowledge_start"] : row["knowledge_end"]]
        assert found == row["knowledge_answer"]


def test_what_does_not_answer_first_is_followed_by_the_rest(run_q2, roles):
    """A question without an answer was asked on each sentence of the knowledge once."""
    reply, knowledge = (
        "Boats pass Anna today",
        [BURNT, " ".join(OTHERS[:13]), " ".join(OTHERS[13:])],
    )
    tables = run_q2((reply, *knowledge), sentences=None, knowledge_words=15)
    assert None in {row["knowledge_answer"] for row in tables["answers"]}
    read = [
        request.text
        for batch in roles.question_answering.asked
        for request in batch
        if request.question == "Boats pass ___ today?" and request.text != reply
    ]
    assert len(read) > len(knowledge)
    assert sorted(" ".join(read).split()) == sorted(" ".join(knowledge).split())


def test_by_the_papers_rules_a_question_is_read_on_all_of_the_knowledge(run_q2, roles):
    """However long it is."""
    run_q2((BUILT, KNOWLEDGE), sentences=None, knowledge_words=None)
    assert set(read_for_answers(roles)) == {KNOWLEDGE}
