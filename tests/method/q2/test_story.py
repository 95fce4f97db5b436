"""Q² of one reply against the stages that run it, on the shipped models."""

import pytest

from qsquared.errors import ModelError
from qsquared.language.models import build_models
from qsquared.method.q2.story import score_reply
from qsquared.notebooks.inputs import Reply
from qsquared.notebooks.scoring import explained
from qsquared.profiles.loading import get_profile
from qsquared.records import Failure
from qsquared.tasks.jobs.in_memory import pair_row, run_stages
from tests.tasks.fakes import WordRoles

BAG = (
    "A checked bag may weigh up to 28 kilograms.",
    ["A checked bag on Petrel Air may weigh up to 23 kilograms.", "Bags above 32 are refused."],
)
NOTHING_TO_ASK = ("It is.", ["The museum is open on Mondays."])


def test_a_reply_without_knowledge_is_refused():
    """No model is asked, and the error names what is missing."""
    with pytest.raises(ValueError, match="one passage or more"):
        score_reply(BAG[0], [], None, None, None, None)


@pytest.mark.parametrize(
    ("role", "method", "reply"),
    [
        ("question_generation", "generate", "Rome is old."),
        ("question_answering", "answer", "Rome is old."),
        ("entailment", "judge", "Rome is old."),
        ("entailment", "judge", "it is old."),
    ],
    ids=["generator", "reader", "judge", "fallback"],
)
def test_a_failure_of_a_model_ends_the_story(role, method, reply, monkeypatch):
    """A server's failure becomes an error with its reason, and never a score."""
    roles = WordRoles()
    monkeypatch.setattr(
        getattr(roles, role),
        method,
        lambda requests: [Failure("it said nothing") for _ in requests],
    )
    with pytest.raises(ModelError, match="it said nothing"):
        score_reply(
            reply,
            ["Paris is old."],
            roles.parser,
            roles.question_generation,
            roles.question_answering,
            roles.entailment,
        )


@pytest.fixture(scope="module")
def models():
    """The models of the default profile."""
    return build_models(get_profile("compact"))


@pytest.mark.parametrize(("reply", "knowledge"), [BAG, NOTHING_TO_ASK], ids=["scored", "fallback"])
def test_one_reply_scores_as_by_the_stages(models, reply, knowledge):
    """Questions, answers, verdicts and scores of `--as-published` are the same."""
    pair = pair_row(reply, knowledge)
    tables = run_stages([pair], models, parameters={"as_published": True})
    (scores,) = tables["scores"]
    kept = explained(Reply(reply, tuple(knowledge)), tables).content.kept
    scored = score_reply(
        reply,
        knowledge,
        models.parser,
        models.question_generation,
        models.question_answering,
        models.entailment,
    )
    assert (len(scored.questions) == 0) == (scores["status"] == "fallback_nli")
    assert [(one.span, one.question, one.knowledge_answer) for one in scored.questions] == [
        (one.span, one.question, one.knowledge_answer) for one in kept
    ]
    assert [one.comparison.verdict for one in scored.questions] == [one.verdict for one in kept]
    assert [one.comparison.score for one in scored.questions] == pytest.approx(
        [one.score for one in kept]
    )
    assert scored.q2 == pytest.approx(scores["q2"])
    assert scored.q2_without_nli == pytest.approx(scores["q2_without_nli"])
    assert 0 <= scored.q2 <= 1
