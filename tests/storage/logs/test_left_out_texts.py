"""Logs are refused where a proposal leaves texts out, rows repeat a conversation, or code stands for replies."""

import json

import pytest

from qsquared.storage.logs.surveys.complaints import complaint
from qsquared.storage.logs.surveys.doubts import doubts, left_out
from qsquared.storage.logs.surveys.survey import survey_log
from tests.cli.test_unknown_logs import ASKED
from tests.storage.logs.test_proposals import FACTS


def turn(question, reply, *knowledge, before=()):
    """Return a turn as a log gives it."""
    return {
        "history": [*before, question],
        "response": reply,
        "knowledge": list(knowledge),
        "status": None,
    }


TURNS = [turn(question, reply, "Nothing of this is told here.") for question, reply, _ in FACTS]
MORE = "Further details stand in the printed handbook for members of staff."
ROWS = [{"said": reply, "context": f"{passage} {MORE}"} for _, reply, passage in FACTS]


def test_texts_that_came_into_no_turn_are_told_where_replies_share_words_with_them_alone():
    """The passages stand in a field that the best proposal does not read."""
    assert left_out(TURNS, ROWS) == "context"


def test_texts_of_which_the_knowledge_has_the_words_are_not_missed():
    """A summary of what was read adds nothing."""
    read = [turn(question, reply, passage) for question, reply, passage in FACTS]
    rows = [{"context": f"In short: {passage[:-1]}"} for _, _, passage in FACTS]
    assert left_out(read, rows) == ""


@pytest.mark.parametrize("name", ["context_rationale", "expected_context", "review", "memory"])
def test_what_a_model_thought_and_a_person_expected_is_not_missed(name):
    """Nothing in its name says that it was retrieved."""
    assert left_out(TURNS, [{name: row["context"]} for row in ROWS]) == ""


def test_one_text_beside_all_replies_is_not_missed():
    """An instruction shares words with replies, too."""
    rows = [{"context": " ".join(row["context"] for row in ROWS)}] * len(ROWS)
    assert left_out(TURNS, rows) == ""


def test_a_text_that_was_made_of_a_reply_is_not_missed():
    """It has few words of its own, whatever it is called."""
    rows = [{"source_html": f"<p>{reply}</p>"} for _, reply, _ in FACTS]
    assert left_out([{**one, "response": f"So: {one['response']}"} for one in TURNS], rows) == ""


def test_rows_that_repeat_what_was_said_before_are_told():
    """Each request holds the conversation so far, and its replies would be read again."""
    asked = [(question, reply) for question, reply, _ in ASKED]
    turns = []
    for end in range(1, len(asked) + 1):
        before: list[str] = []
        for question, reply in asked[:end]:
            turns.append(turn(question, reply, "Some text.", before=tuple(before)))
            before += [question, reply]
    assert "repeat" in doubts(turns)


def test_equal_first_questions_of_several_conversations_are_no_repetition():
    """A bot answers a usual question with the same words."""
    turns = [turn(question, reply, "Some text.") for question, reply, _ in ASKED] * 2
    assert doubts(turns) == ""


def test_equal_conversations_of_several_turns_are_no_repetition():
    """A scripted test runs several times, and no run goes on from another."""
    before: list[str] = []
    turns = []
    for question, reply, _ in FACTS:
        turns.append(turn(question, reply, "Some text.", before=tuple(before)))
        before += [question, reply]
    assert doubts(turns * 4) == ""


def test_replies_that_begin_with_the_same_code_are_told():
    """A program logs what its model wrote, which is no text to the user."""
    turns = [
        turn(question, f"yield <Text>{reply}</Text>", "A fact.") for question, reply, _ in ASKED
    ]
    assert "code" in doubts(turns)


def chats(tmp_path, result):
    """Write a log of chats in which a tool returns this of each passage; return its survey."""
    rows = []
    for question, reply, (passage,) in ASKED:
        tool = {"role": "tool", "tool_call_id": "c", "content": json.dumps(result(passage))}
        call = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function"}],
        }
        said = (
            {"role": "user", "content": question},
            call,
            tool,
            {"role": "assistant", "content": reply},
        )
        rows.append({"messages": said})
    log = tmp_path / "x.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return survey_log(log, {})


def test_data_without_a_sentence_are_doubtful(tmp_path):
    """Numbers and names of kinds are nothing that a reply rests on."""
    found = chats(tmp_path, lambda passage: {"state": [[len(passage), "ok"]], "took": 3})
    assert complaint(found) is not None


@pytest.mark.parametrize(
    ("passage", "doubtful"),
    [
        ('{"price": 3, "label": "The case was made by the clockmaker Lund."}', False),
        ('{"label": "The case was made by the clockmaker Lund."}', True),
        ('{"price": 3, "label": "Case"}', True),
    ],
)
def test_data_of_a_tool_that_hold_a_sentence_among_others_are_knowledge_as_written(
    passage, doubtful
):
    """A sentence alone has a path of its own; of fields that are named otherwise all data are doubtful."""
    turns = [turn(question, reply, passage) for question, reply, _ in FACTS]
    assert bool(doubts(turns, data=True)) is doubtful
    assert "data" in doubts(turns)


def test_a_list_of_sentences_in_what_a_tool_returned_is_its_passages(tmp_path):
    """The query stands beside them."""
    found = chats(
        tmp_path,
        lambda passage: {
            "Query": "q",
            "Retrieved": [passage, "It is so in all shops."],
        },
    )
    assert "It is so in all shops." in found.first[0]["knowledge"]
