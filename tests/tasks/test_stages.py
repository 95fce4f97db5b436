"""The stages of Q² in a row, on small fake models."""

import pytest

from tests.tasks.fakes import WordAnswers


def only(rows):
    """The one row of a table."""
    (row,) = rows
    return row


def test_a_supported_reply_scores_one(run_q2):
    """By the paper's rules every span found again in the knowledge gives 1 with and without NLI."""
    pair = ("the painter Bob was here", "everyone knows the painter Bob well")
    tables = run_q2(pair, second_look=None)
    score = only(tables["scores"])
    assert (score["q2"], score["q2_without_nli"], score["status"]) == (1.0, 1.0, "scored")
    assert only(tables["comparisons"])["verdict"] == "supported"


def test_answers_have_their_offsets(run_q2):
    """Passage and offsets cut the answer out of the knowledge as given."""
    knowledge = ["nothing here", "they met the painter Bob there"]
    row = only(run_q2(("the painter Bob was here", *knowledge))["answers"])
    assert row["passage"] == 1
    assert knowledge[1][row["knowledge_start"] : row["knowledge_end"]] == "Bob"
    assert row["windows"] == 2


@pytest.mark.parametrize(
    ("response", "knowledge", "score"),
    [
        ("it rained then", "it rained then so", 1.0),
        ("it rained then", "not so", 0.0),
        ("it snowed there", "so it rained", 0.5),
    ],
)
def test_a_reply_without_a_valid_question_falls_back_on_nli(run_q2, response, knowledge, score):
    """Entailment 1, contradiction 0, neutral 0.5; the status says that it was the fallback."""
    row = only(run_q2((response, knowledge))["scores"])
    assert (row["q2"], row["q2_without_nli"], row["status"]) == (score, score, "fallback_nli")
    assert row["reason"].startswith("The response has no informative span")


@pytest.mark.parametrize(
    ("response", "knowledge", "stage"),
    [
        ("PARSER FAILS", "x", "spans"),
        ("the painter Bob READER FAILS", "x", "roundtrip"),
        ("the painter Bob was", "READER FAILS", "answers"),
        ("the painter Bob JUDGE FAILS was", "the painter Joe", "comparisons"),
        ("it rained", "JUDGE FAILS", "sentence_entailment"),
    ],
)
def test_a_failing_model_costs_one_pair(run_q2, response, knowledge, stage):
    """The pair has no score but a status and a reason that names the stage; the others have one."""
    tables = run_q2(("the painter Bob was here", "the painter Bob"), (response, knowledge))
    fine, failed = tables["scores"]
    assert fine["status"] == "scored"
    assert (failed["status"], failed["q2"], failed["q2_without_nli"]) == ("error", None, None)
    assert failed["reason"].startswith(f"{stage}: ")


def test_every_pair_has_exactly_one_score(run_q2):
    """Pairs come out in order, whatever happens to them."""
    pairs = [("Bob was here", "Bob"), ("yes", "no"), ("PARSER FAILS", "x"), ("???", "x")]
    tables = run_q2(*pairs)
    assert [r["pair_id"] for r in tables["scores"]] == [p["pair_id"] for p in tables["pairs"]]


def test_a_dressed_reply_scores_as_the_plain_one(run_q2):
    """Greetings, marks and citations are no part of the claims; offsets are those of the log."""
    reply = "Hi Maria,\n\nthe painter **Bob** was here [1].\n\nBest regards,\nAnna"
    knowledge = "everyone knows the painter Bob well"
    tables, plain = run_q2((reply, knowledge)), run_q2(("the painter Bob was here.", knowledge))
    assert only(tables["scores"])["q2"] == only(plain["scores"])["q2"] > 0.5
    span = only(tables["spans"])
    assert (span["text"], reply[span["start"] : span["end"]]) == ("Bob", "Bob")
    trip = next(row for row in tables["roundtrip"] if row["kept"])
    assert reply[trip["response_start"] : trip["response_end"]] == "Bob"
    kinds = [row["kind"] for row in tables["sentences"]]
    assert kinds == ["greeting", "claim", "sign_off", "sign_off"]


def test_a_span_behind_a_lead_in_is_spelled_as_logged(run_q2):
    """Questions are asked about a sentence with its capital; the tables hold the logged letter."""
    reply = "Yes, anna was here."
    tables = run_q2((reply, "anna was here"))
    span = only(tables["spans"])
    assert (span["text"], reply[span["start"] : span["end"]]) == ("anna", "anna")
    trip = next(row for row in tables["roundtrip"] if row["kept"])
    assert trip["response_answer"] == "anna"
    assert reply[trip["response_start"] : trip["response_end"]] == "anna"


def test_knowledge_is_read_in_plain_text_with_its_own_offsets(run_q2):
    """Answers stand in the passage as it was logged."""
    passage = "<p>everyone knows the painter&nbsp;<b>Bob</b> well</p>"
    row = only(run_q2(("the painter Bob was here", passage))["answers"])
    assert row["knowledge_answer"] == "Bob"
    assert passage[row["knowledge_start"] : row["knowledge_end"]] == "Bob"


def test_by_the_papers_rules_a_reply_is_read_as_logged(run_q2):
    """It is one claim, and its knowledge is not changed."""
    reply = "hello! the painter Bob was here [1]."
    tables = run_q2((reply, "the painter <b>Bob</b>"), sentences=None)
    sentence = only(tables["sentences"])
    assert (sentence["kind"], sentence["text"]) == ("reply", reply)
    assert only(tables["sentence_scores"])["nli_label"] is None
    assert only(tables["scores"])["worst_sentence"] is None


@pytest.mark.parametrize(
    ("reply", "kind"),
    [("Hello!", "greeting"), ("You're welcome!", "thanks"), ("Which one do you mean?", "question")],
)
def test_a_reply_that_claims_nothing_has_no_score(run_q2, reply, kind):
    """Its status is `no_claim`, and its reason names its kind."""
    row = only(run_q2((reply, "the painter Bob"))["scores"])
    assert (row["status"], row["q2"], row["reply_kind"]) == ("no_claim", None, kind)
    assert kind in row["reason"]


def test_a_reply_in_another_language_has_no_score(run_q2):
    """Its status says so, and it is not counted among the replies that claim nothing."""
    row = only(
        run_q2(("Das Museum hat von zehn bis siebzehn Uhr geöffnet.", "the painter"))["scores"]
    )
    assert (row["status"], row["q2"], row["reply_kind"]) == (
        "other_language",
        None,
        "other_language",
    )
    assert row["reason"] == "The reply is not in English."


def test_a_refusal_is_a_kind_and_nothing_is_asked_for_it(run_q2):
    """Whether the knowledge answers what it refuses makes no difference."""
    reply = "I'm sorry, I don't know how much compensation is paid."
    rows = run_q2((reply, "Bob was the painter"), (reply, "..."))["scores"]
    assert [(row["reply_kind"], row["q2"]) for row in rows] == [("refusal", None)] * 2
    assert rows[0]["reason"] == rows[1]["reason"] == "The reply claims nothing (refusal)."


def test_each_sentence_has_a_score_and_the_worst_one_stands_beside_the_replys(run_q2):
    """The score stays the mean over questions."""
    reply = "Hello! the painter Bob was here. the potter Joe was there."
    tables = run_q2((reply, "here the painter Bob was"))
    found = [(row["kind"], row["q2"], row["questions"]) for row in tables["sentence_scores"]]
    assert found == [("greeting", None, 0), ("claim", 0.975, 1), ("claim", 0.1, 1)]
    score = only(tables["scores"])
    assert (score["q2"], score["worst_sentence"], score["worst_sentence_q2"]) == (
        pytest.approx(0.5375),
        2,
        0.1,
    )


def test_a_sentence_that_stands_in_the_knowledge_is_supported_whatever_the_judge_says(run_q2):
    """That holds for sentences without a question; the probabilities stay the judge's."""
    pair = ("within thirty days of delivery", "returned within thirty days of delivery, not later")
    row = only(run_q2(pair)["sentence_scores"])
    assert (row["questions"], row["nli_label"], row["verdict"]) == (0, "contradiction", "supported")
    row = only(run_q2(("within forty days", pair[1]))["sentence_scores"])
    assert row["verdict"] == "contradicted"


def test_personal_questions_are_asked_on_request(run_q2):
    """The parameter of the paper's ablation turns the filter off."""
    pair = ("I painted with Bob there", "I painted with Bob there")
    assert {r["reason"] for r in run_q2(pair)["roundtrip"]} == {"personal"}
    assert "kept" in {r["reason"] for r in run_q2(pair, leave_out_personal=False)["roundtrip"]}


def test_the_same_question_on_the_same_text_is_answered_once(run_q2, roles):
    """Two pairs with one response share the round trip's reading."""
    run_q2(("the painter Bob was", "a"), ("the painter Bob was", "b"))
    first_wave = roles.question_answering.asked[0]
    assert len(first_wave) == 1


def test_a_reader_may_read_the_knowledge_otherwise_than_the_reply(run_q2, roles):
    """The round trip asks for no such reading, the answers for no other, and a failure costs one pair."""
    larger = WordAnswers()
    roles.question_answering.answer_on_knowledge = larger.answer
    tables = run_q2(
        ("the painter Bob was here", "the painter Bob"),
        ("the painter Bob was", "READER FAILS"),
    )
    on_reply, on_knowledge = (
        {request.text for wave in reader.asked for request in wave}
        for reader in (roles.question_answering, larger)
    )
    assert on_reply == {"the painter Bob was here.", "the painter Bob was."}
    assert on_knowledge == {"the painter Bob", "READER FAILS"}
    fine, failed = tables["scores"]
    assert (fine["status"], failed["status"]) == ("scored", "error")
    assert failed["reason"].startswith("answers: ")


def test_end_to_end_nli_scores_the_label(run_q2):
    """Entailment 1, neutral 0.5, contradiction 0; a failed judgement has no score."""
    tables = run_q2(
        ("Bob was here", "now Bob was here"),
        ("Bob was here", "Ann"),
        ("Bob was here", "Bob was not here"),
        ("Bob was here", "JUDGE FAILS"),
        metric="e2e_nli",
    )
    assert [row["e2e_nli"] for row in tables["e2e_nli"]] == [1.0, 0.5, 0.0, None]
    assert "nan" in tables["e2e_nli"][-1]["error"]
