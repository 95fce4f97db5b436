"""Tests of the other metrics' stages: one row for each pair, and isolated failures."""

import pytest

from qsquared.tasks.jobs.graph import AS_PUBLISHED, graph
from qsquared.tasks.jobs.stage_keys import Configuration
from tests.tasks.test_stages import only

PAIR = ("the painter Bob was here", "everyone knows the painter Bob well")


@pytest.mark.parametrize(
    "metric", ["overlap", "bleu", "rouge", "meteor", "bertscore", "consistency"]
)
def test_each_baseline_gives_one_row_for_each_pair(run_q2, metric):
    """With its measures between 0 and 1."""
    rows = run_q2(PAIR, ("Ann sings.", "Bob paints.", "Ann sings."), metric=metric)[metric]
    assert len(rows) == 2
    for row in rows:
        assert row["error"] is None
        values = [value for name, value in row.items() if name not in {"pair_id", "error"}]
        assert all(0 <= value <= 1.0001 for value in values)


def test_passages_are_one_text_to_the_baselines(run_q2):
    """Joined by a space."""
    parted = only(run_q2(("a b", "a", "b"), metric="overlap")["overlap"])
    whole = only(run_q2(("a b", "a b"), metric="overlap")["overlap"])
    assert parted["overlap_f1"] == whole["overlap_f1"]


@pytest.mark.parametrize(
    ("metric", "text"), [("bertscore", "COMPARE FAILS"), ("consistency", "SUPPORT FAILS")]
)
def test_a_pair_on_which_the_model_fails_fails_alone(run_q2, metric, text):
    """Its row names stage and model; the others are scored."""
    bad, good = run_q2(
        (f"The test says {text} aloud.", "k"),
        ("The words are fine.", "The words are fine."),
        metric=metric,
    )[metric]
    assert bad["error"].startswith(f"{metric}: ")
    assert bad[metric] is None
    assert good[metric] == 1.0


KEYS = {
    "nli": "9fe186d21dc8c86c25d8e60b9e78c8a0",
    "e2e_nli": "4f73965afa7cfaacf5839e437915a425",
    "blend": "64223910956e24201d55594cee68ee8c",
    "consistency": "cfe5e311215c285bc34f2884a01cb3fb",
}
DRESSED = "Hi Maria,\n\nthe painter **Bob** was here [1].\n\nBest regards,\nAnna"


@pytest.mark.parametrize("metric", ["e2e_nli", "consistency", "blend"])
def test_a_dressed_reply_is_judged_as_the_plain_one(run_q2, metric):
    """Its claims are read in plain text, and so is the knowledge."""
    plain, dressed = run_q2(
        ("the painter Bob was here.", "Bob the painter was here"),
        (DRESSED, "<p>Bob the painter&nbsp;was <b>here</b></p>"),
        metric=metric,
    )[metric]
    assert plain[metric] is not None
    assert plain | {"pair_id": ""} == dressed | {"pair_id": ""}


@pytest.mark.parametrize("metric", ["e2e_nli", "consistency", "blend"])
def test_a_reply_that_claims_nothing_has_no_judgement(run_q2, metric):
    """It is no failure either."""
    nothing, something = run_q2(("Hello!", "Bob"), PAIR, metric=metric)[metric]
    assert (nothing[metric], nothing["error"]) == (None, None)
    assert something[metric] is not None


def test_by_the_papers_rules_a_reply_is_judged_as_logged(run_q2):
    """A greeting is a claim like any other."""
    pair = ("Hi! Bob was here", "Bob was here")
    assert only(run_q2(pair, metric="e2e_nli")["e2e_nli"])["e2e_nli"] == 1.0
    assert only(run_q2(pair, metric="e2e_nli", sentences=None)["e2e_nli"])["e2e_nli"] == 0.5


def test_by_the_papers_rules_end_to_end_nli_keeps_its_keys():
    """A store that was scored before claims were judged is used as it is."""
    asked = graph(["blend", "consistency"])
    roles = dict.fromkeys(asked.roles, "m")
    found = Configuration(asked, "p", asked.parameters({AS_PUBLISHED: True}), roles).lineages
    assert {name: found[name] for name in KEYS} == KEYS


def test_qags_asks_both_texts_and_compares_the_answers(run_q2):
    """A candidate whose question the response does not answer with it is not asked further."""
    tables = run_q2(
        ("the painter Bob was here", "everyone knows the painter Bob well"),
        ("the painter Bob was here", "the painter Ann was here"),
        metric="qags",
    )
    assert {row["candidate"] for row in tables["qags_questions"]} == {"Bob"}
    same, other = tables["qags"]
    assert (same["qags"], same["qags_exact_match"], same["status"]) == (1.0, 1.0, "scored")
    assert (other["qags"], other["qags_unpadded"], other["questions"]) == (0.0, 0.0, 2)
    kept = [row for row in tables["qags_answers"] if row["kept"]]
    assert {(row["response_answer"], row["knowledge_answer"]) for row in kept} == {
        ("Bob", "Bob"), ("Bob", "Ann"),
    }  # fmt: skip


def test_a_response_without_a_question_has_no_qags_and_says_so(run_q2):
    """NULL with a status, not a zero."""
    row = only(run_q2(("nothing here", "k"), metric="qags")["qags"])
    assert (row["qags"], row["status"], row["questions"]) == (None, "no_question", 0)
    assert row["reason"] == "No question on the response was kept."


@pytest.mark.parametrize("text", ["PARSER FAILS", "the Bob READER FAILS was"])
def test_a_failed_pair_of_qags_has_the_reason_of_the_first_failure(run_q2, text):
    """The others are scored."""
    bad, good = run_q2((text, "k"), PAIR, metric="qags")["qags"]
    assert bad["status"] == "error"
    assert bad["qags"] is None
    assert "qags_" in bad["reason"]
    assert good["status"] == "scored"


def test_the_number_of_questions_changes_the_last_stage_only(run_q2):
    """So an ablation asks no model."""
    few = run_q2(PAIR, metric="qags", qags_questions=1)
    many = run_q2(PAIR, metric="qags")
    assert few["qags_answers"] == many["qags_answers"]
    assert only(few["qags"])["questions"] == 1
    assert only(many["qags"])["questions"] == 2


def test_the_best_question_of_a_span_alone_can_be_asked(run_q2):
    """Questions below the best of a span are not asked."""
    every = run_q2(("the painter Bob was", "the painter Bob was"), variant="multi")["roundtrip"]
    best = run_q2(
        ("the painter Bob was", "the painter Bob was"), variant="multi", questions_per_span=1
    )["roundtrip"]
    assert [row["reason"] for row in every] == ["kept", "kept"]
    assert [row["reason"] for row in best] == ["kept", "not_needed"]


def test_the_blend_is_beside_q2(run_q2):
    """It is the mean of Q², end-to-end NLI and token overlap, and Q² is what it is alone."""
    pair = ("the painter Bob was here", "everyone knows the painter Bob well")
    tables = run_q2(pair, metric="blend")
    row, judged = only(tables["blend"]), only(tables["nli"])
    assert row["q2"] == only(run_q2(pair)["scores"])["q2"]
    assert row["nli"] == judged["nli"]
    assert row["token_f1"] == pytest.approx(4 / 9)
    assert row["blend"] == pytest.approx((row["q2"] + row["nli"] + row["token_f1"]) / 3)


def test_a_reply_that_claims_nothing_has_no_blend_and_is_no_failure(run_q2):
    """All its columns are NULL, the error too, so that no rerun tries it again."""
    row = only(run_q2(("Thank you so much!", "everyone knows Bob"), metric="blend")["blend"])
    assert {name for name, value in row.items() if value is not None} == {"pair_id"}
