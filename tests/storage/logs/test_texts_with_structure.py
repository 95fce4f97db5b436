"""XML and transcripts that a field holds as one text are read as objects and messages, and nothing else is."""

import json

import pytest

from qsquared.storage.logs.fields.embedded_values import from_xml, opened
from qsquared.storage.logs.fields.field_paths import value_at
from qsquared.storage.logs.messages.answers import read_said

PAGE = "<div><p>Parcels may be returned.</p></div>"
EXPANDING = '<!DOCTYPE a [<!ENTITY b "bb">]><a><c>&b;</c><c>&b;</c></a>'
DEEP = "<a><b>" * 5000 + "</b></a>" * 5000
TALK = "User: May I return it?\nBot: Yes.\nNote: keep the box.\nUser: Thanks"


def test_elements_that_repeat_are_a_list_and_attributes_are_fields():
    """An element alone in one that holds nothing else is a list of one."""
    text = '<talk id="7"><turn><ask>A &amp; B?</ask><page><p n="1">One.</p></page></turn><turn/></talk>'
    assert from_xml(text) == {
        "talk": {
            "id": "7",
            "turn": [{"ask": "A & B?", "page": {"p": [{"n": "1", "text": "One."}]}}, ""],
        }
    }
    assert value_at({"cell": text}, "cell.talk.turn[].page.p[].text") == ["One."]


@pytest.mark.parametrize(
    "text", [PAGE, EXPANDING, "<a><b>open</a>", "<one>word</one>", "1 < 2", DEEP]
)
def test_pages_declared_entities_and_broken_markup_stay_texts(text):
    """Only plain XML of a program is read as objects."""
    assert from_xml(text) is None
    assert value_at({"cell": text}, "cell") == text


def test_a_transcript_is_messages_and_a_line_of_another_name_is_part_of_one():
    """Only names of roles begin a message."""
    said = [(one.role, one.text) for one in read_said(TALK)]
    assert said == [
        ("user", "May I return it?"),
        ("assistant", "Yes.\nNote: keep the box."),
        ("user", "Thanks"),
    ]


def test_speakers_are_known_in_other_words_and_languages():
    """A visitor asks, and an assistant of another language answers."""
    said = read_said("[10:02] Visitor: Open today?\n[10:02] Asistente: Sí, hasta las seis.")
    assert [one.role for one in said] == ["user", "assistant"]


@pytest.mark.parametrize(
    "text", ["Note: User: hello", "User: only one speaks", "Before. " + TALK, ""]
)
def test_a_text_that_is_no_talk_of_two_is_none(text):
    """One speaker alone, or a text before the first, is no transcript."""
    assert read_said(text) == []


def test_json_lines_and_json_that_was_encoded_again_are_objects():
    """A service may log several objects as one message, or encode a message that is JSON already."""
    rows = [{"said": "Yes."}, {"said": "No.", "found": ["a"]}]
    assert opened("\n".join(map(json.dumps, rows))) == rows
    assert opened(json.dumps(json.dumps(json.dumps(rows[1])))) == rows[1]
    assert value_at({"cell": json.dumps(json.dumps(rows[1]))}, "cell.found[]") == ["a"]


@pytest.mark.parametrize(
    "text", ['{"a": 1}\nand more', '"a quotation"', '"{a brace}"', "{\n}\n{", ""]
)
def test_texts_with_some_json_stay_texts(text):
    """Only a text that is JSON from begin to end is read as objects."""
    assert opened(text) == text
