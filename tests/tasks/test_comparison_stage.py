"""The comparison of a span with the answer on the knowledge, by values, NLI and the whole sentence."""

import re

import pytest

from qsquared.records import Answer, Judgement


def only(rows):
    """The one row of a table."""
    (row,) = rows
    return row


def test_a_span_that_the_knowledge_does_not_answer_scores_zero(run_q2):
    """By the paper's rules no answer on the knowledge is 0, without asking NLI."""
    tables = run_q2(("the painter Bob was here", "nobody knows"), second_look=None)
    assert only(tables["scores"])["q2"] == 0.0
    assert only(tables["scores"])["no_answer"] == 1
    assert only(tables["answers"])["knowledge_answer"] is None
    assert only(tables["comparisons"])["nli_label"] is None


def test_a_neutral_verdict_leaves_the_token_f1(run_q2):
    """Another answer that NLI finds neutral scores its token overlap."""
    tables = run_q2(("the painter Bob was here", "the painter Alice was here"), second_look=None)
    row = only(tables["comparisons"])
    assert (row["verdict"], row["score"], row["nli_label"]) == ("partial", 0.0, "neutral")


def test_values_are_compared_before_the_judge_is_asked(run_q2):
    """A number that differs is contradicted; by the paper's rules NLI decides."""
    pair = ("the painter Twelve was", "the painter 13 was here")
    row = only(run_q2(pair)["comparisons"])
    assert (row["verdict"], row["decided_by"], row["value_relation"], row["nli_label"]) == (
        "contradicted", "values", "different", None,
    )  # fmt: skip
    row = only(run_q2(pair, by_value=None)["comparisons"])
    assert (row["verdict"], row["decided_by"], row["value_relation"]) == ("partial", "nli", None)


def test_a_sentence_that_stands_in_the_knowledge_is_contradicted_in_nothing(run_q2):
    """The reader took the number of another clause; a number that stands elsewhere only is no excuse."""
    reply = "the painter Seven was here."
    copied = only(run_q2((reply, "the painter 13 was. The painter Seven was here."))["comparisons"])
    assert (copied["verdict"], copied["decided_by"], copied["score"]) == (
        "supported",
        "sentence",
        1,
    )
    other = only(run_q2((reply, "the painter 13 was here. Seven was."))["comparisons"])
    assert (other["verdict"], other["decided_by"]) == ("contradicted", "values")


def test_a_question_without_an_answer_is_supported_by_an_entailed_sentence(run_q2):
    """The judge of the sentence finds what the reader missed."""
    row = only(run_q2(("the painter Bob was here", "here Bob was the painter"))["comparisons"])
    assert (row["verdict"], row["decided_by"], row["score"]) == ("supported", "sentence", 0.9)


def test_a_question_that_only_the_judge_supports_loses_by_a_contradicted_sentence(run_q2, roles):
    """It loses the probability of contradiction; the mean with the sentence's .15 remains."""

    class Lenient:
        def judge(self, requests):
            return [
                Judgement(1.0, 0.0, 0.0) if "___" in r.hypothesis else Judgement(0.1, 0.1, 0.8)
                for r in requests
            ]

    roles.entailment = Lenient()
    row = only(run_q2(("the painter Bob was here", "the painter Bobby slept"))["comparisons"])
    assert (row["verdict"], row["decided_by"], row["score"]) == (
        "supported",
        "nli",
        pytest.approx(0.175),
    )


def test_a_sentence_with_another_name_gets_no_second_look(run_q2):
    """Not for its other questions either; the judge's half of their score is all they have."""
    reply = "the painter Bob was with the potter Joe"
    knowledge = "the painter Joe was with the potter; Bob was not"
    rows = run_q2((reply, knowledge))["comparisons"]
    judged = only(run_q2((reply, knowledge))["sentence_entailment"])
    half = (1 + judged["entailment"] - judged["contradiction"]) / 4
    assert [row["score"] for row in rows] == pytest.approx([half] * len(rows))


def test_a_span_that_stands_in_the_knowledge_says_so(run_q2):
    """Also where the question about it found no answer."""
    tables = run_q2(("the painter Bob was here", "Bob"), ("the painter Bob was here", "nobody"))
    found = [(row["verdict"], row["in_knowledge"]) for row in tables["comparisons"]]
    assert found == [("no_answer", True), ("no_answer", False)]


def test_prices_are_compared_with_their_sign_of_money(run_q2, roles):
    """The same number of another currency is another price; by the paper's rules it is the same."""

    class Amounts:
        def answer(self, requests):
            starts = [request.text.index("Q7") for request in requests]
            return [Answer("Q7", start, start + 2, 2.0, 0.0, 1) for start in starts]

    roles.question_answering = Amounts()
    pair = ("the fee €Q7 is fair", "a fee of £Q7 is fair")
    tables = run_q2(pair)
    assert only(tables["spans"])["text"] == "€Q7"
    answer = only(tables["answers"])
    assert (answer["knowledge_answer"], answer["knowledge_start"]) == ("£Q7", 9)
    assert only(tables["comparisons"])["token_f1"] == 0.0
    assert only(run_q2(pair, sentences=None)["comparisons"])["token_f1"] == 1.0


def test_an_answer_is_read_from_the_clause_that_its_question_names(run_q2, roles):
    """The value of the question stands in another clause than the answer; the papers' rules keep that."""

    class FirstName:
        def answer(self, requests):
            found = [re.search(r"[A-Z]\w+", request.text) for request in requests]
            return [Answer(one[0], one.start(), one.end(), 2.0, 0.0, 1) for one in found]

    roles.question_answering = FirstName()
    pair = ("Films last for 7 days.", "we lend Books for 28 days, Films for 7 days.")
    answer = only(run_q2(pair)["answers"])
    assert (answer["knowledge_answer"], answer["knowledge_start"]) == ("Films", 27)
    assert only(run_q2(pair, sentences=None)["answers"])["knowledge_answer"] == "Books"


def test_a_claim_whose_opposite_stands_in_the_knowledge_is_not_entailed(run_q2):
    """The clause that denies it counts, however much the rest of the knowledge sounds like it."""
    claim = "the Gate is open on Sundays."
    week = "the Gate is open on weekdays. It is closed on Sundays."
    (judged,) = run_q2((claim, week))["sentence_entailment"]
    assert judged["entailment"] < 0.2 < judged["contradiction"]
    (judged,) = run_q2((claim, week.replace("closed", "open")))["sentence_entailment"]
    assert judged["entailment"] == 0.9
