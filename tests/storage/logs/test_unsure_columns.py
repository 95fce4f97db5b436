"""Columns of an unknown log that look like replies or knowledge and are none, and those that only seem not to be."""

import pytest

from qsquared.storage.logs.envelopes import held_rows
from qsquared.storage.logs.fields.hits import without_unsent
from qsquared.storage.logs.fields.passages import passages_of
from qsquared.storage.logs.messages.answers import has_failed
from qsquared.storage.logs.surveys.discovery import discover
from qsquared.storage.logs.surveys.doubts import doubts
from tests.cli.test_unknown_logs import ASKED


def rows_of(**named):
    """Return a row for each exchange: names with ``question``, ``reply`` or ``passage``, or a function of these."""
    made = []
    for question, reply, (passage,) in ASKED:
        held = {"question": question, "reply": reply, "passage": passage}
        made.append({k: held[v] if isinstance(v, str) else v(held) for k, v in named.items()})
    return made


def read_by(rows):
    """Return the fields of the best proposal for rows, empty without one."""
    proposals, _ = discover(rows)
    return proposals[0].fields if proposals else {}


@pytest.mark.parametrize("name", ["query", "search_terms", "error_message"])
def test_what_was_searched_for_and_errors_of_a_program_are_no_replies(name):
    """The field has the words of the knowledge as a reply has them."""
    found = read_by(rows_of(**{name: "reply", "ask": "question", "text": "passage"}))
    assert found.get("response") != [name]


@pytest.mark.parametrize("name", ["reason", "target_output"])
def test_other_names_of_programs_may_be_those_of_replies(name):
    """A data set may call its replies so."""
    found = read_by(rows_of(**{name: "reply", "ask": "question", "context": "passage"}))
    assert found["response"] == [name]


def test_an_output_counts_before_the_target_that_it_is_compared_with():
    """The expected answer stands beside that of the model."""
    rows = rows_of(
        input="question",
        target_output=lambda held: " ".join(held["reply"].split()[:3]),
        model_output="reply",
        context="passage",
    )
    assert read_by(rows)["response"] == ["model_output"]


def test_a_reply_counts_before_what_a_model_wrote_with_its_marks():
    """The text that was shown stands less deep than the one in the response of the model."""
    raw = {"raw": lambda held: {"choices": [{"text": f"[1] {held['reply']}"}]}}
    rows = rows_of(shown="reply", ask="question", docs=lambda held: [held["passage"]], **raw)
    assert read_by(rows)["response"] == ["shown"]


def _turns(reply, knowledge):
    return [
        {
            "response": reply.format(said),
            "knowledge": [knowledge.format(said)],
            "history": [question],
        }
        for question, said, _ in ASKED
    ]


def test_knowledge_that_begins_with_the_reply_before_markup_is_doubtful():
    """Another form of the same answer has what it rests on below it."""
    told = doubts(_turns("{}", "{}\n\n<details>Within 30 days.</details>"))
    assert told == "the knowledge begins with the replies"


@pytest.mark.parametrize("knowledge", ["{} Gifts are excluded.", "<p>{}</p><p>Gifts are not.</p>"])
def test_a_reply_may_be_the_first_sentence_of_its_passage(knowledge):
    """Excerpts are replies, also of pages of the web."""
    assert doubts(_turns("{}", knowledge)) == ""


@pytest.mark.parametrize(
    ("flag", "kept"), [("sent_to_llm", 1), ("inPrompt", 1), ("used", 2), ("selected", 2)]
)
def test_the_survey_leaves_out_hits_that_no_model_was_given(flag, kept):
    """Goods may be used, and drafts selected: such flags say nothing of hits alone."""
    hits = [{"text": "Open until ten.", flag: True}, {"text": "Closed.", flag: False}]
    assert len(without_unsent({"found": {"hits": hits}})["found"]["hits"]) == kept


@pytest.mark.parametrize("names", [("question", "answer", "context"), ("1", "2", "3")])
def test_parts_of_a_row_that_state_their_own_names_are_no_rows(names):
    """A row is an exchange, though each of its objects says what it is."""
    held = (
        {"kind": names[0], "text": "Is it open?"},
        {"kind": names[1], "text": "It is, until ten."},
    )
    row = dict(zip(names, (*held, {"kind": names[2], "text": "Open until ten."}), strict=True))
    assert held_rows(row) is None


def test_objects_under_ids_that_they_state_are_rows():
    """Exports hold each conversation under its id."""
    made = {name: {"id": name, "messages": []} for name in ("c-1", "c-2")}
    assert held_rows(made) == [*made.values()]


def test_a_hit_has_its_own_text_whatever_its_named_values_are():
    """Values beside their names may be called as texts are."""
    hit = {"text": "Open until ten.", "metadata": [{"key": "content", "value": "Opening hours"}]}
    assert [one["text"] for one in passages_of([hit])] == ["Open until ten."]


def test_a_reply_that_is_marked_as_an_error_stays_unless_it_tells_of_one():
    """People mark false replies so."""
    assert not has_failed({"error": 1}, "The shop opens at ten.")
    assert has_failed({"error": 1}, "RateLimitError: Error code: 429")
