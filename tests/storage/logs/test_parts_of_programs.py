"""Programs write calls, flags, labels, pieces and errors beside or within messages and passages."""

import json

import pytest

from qsquared.storage.logs.envelopes import held_rows
from qsquared.storage.logs.fields.embedded_values import opened
from qsquared.storage.logs.fields.passages import passages_of
from qsquared.storage.logs.format_engines.conversations import turns_of
from qsquared.storage.logs.format_engines.formats import read_format
from qsquared.storage.logs.format_engines.units import LogUnit, Overrides
from qsquared.storage.logs.messages.answers import has_failed, read_answer
from qsquared.storage.logs.messages.parts import documents_in
from qsquared.storage.logs.prompts.prompt_parts import split_prompt
from qsquared.storage.logs.surveys.columns.values import Column
from qsquared.storage.logs.surveys.discovery import discover
from tests.cli.test_unknown_logs import ASKED
from tests.storage.logs.test_unsure_columns import read_by, rows_of

FACT = "Parcels may be returned within 30 days of delivery."
OTHER = "Refunds reach the account within five working days."


def texts(found):
    """Return the texts of passages."""
    return [one["text"] for one in found]


@pytest.mark.parametrize(
    "held",
    [
        [f"Source: a.md\n{FACT}", f"Source: b.md\n{OTHER}"],
        [f"Content: {FACT}\nURL: https://a.example", f"Content: {OTHER}"],
        [f"returns.pdf#page=3: {FACT}", f"refunds.pdf: {OTHER}"],
        ["Found 2 relevant chunks:", f"Document: a.pdf (Score: 0.8)\n{FACT}", f"Document: b.pdf\n{OTHER}"],
    ],
)  # fmt: skip
def test_lines_that_name_the_sources_of_all_passages_are_no_part_of_them(held):
    """They stand above or below the text, or a file before it."""
    assert texts(documents_in(held, texts=True)) == [FACT, OTHER]


@pytest.mark.parametrize(
    "held",
    [
        [f"Source: a.md\n{FACT}", OTHER],
        [f"Path: Settings > Orders\n{FACT}", f"Path: Settings > Money\n{OTHER}"],
        [f"Title: May I return it?\n{FACT}", f"Title: When is it back?\n{OTHER}"],
        [f"File: keep the receipt.\n{FACT}", f"File: keep the box.\n{OTHER}"],
        [f"Open the file called a.json: {FACT}", f"Open the file called b.json: {OTHER}"],
    ],
)
def test_lines_that_say_something_and_lines_that_some_passages_lack_stay(held):
    """A way through menus, a title and an instruction may be what a reply rests on."""
    assert texts(documents_in(held, texts=True)) == held


def test_line_breaks_within_a_passage_stay():
    """The last line alone may name its source."""
    held = [f"Source: a.md\n{FACT}\n\n\nSource: it is said.\n\n{OTHER}\nSource: b.md"]
    assert texts(documents_in(held, texts=True)) == [f"{FACT}\n\n\nSource: it is said.\n\n{OTHER}"]


def test_measurements_are_data_as_they_are_written():
    """A list of numbers holds no passages."""
    told = {"status": "ok", "value": [1767000000, "26.5"]}
    assert texts(passages_of(json.dumps(told))) == [json.dumps(told)]


def test_one_of_several_searches_that_found_nothing_gives_no_passage():
    """The others give theirs."""
    assert texts(passages_of([FACT, "No files found"])) == [FACT]


def test_streams_of_events_in_a_cell_are_a_list_of_their_data():
    """Lines of comments and ends hold none."""
    text = 'event: delta\ndata: {"text": "a"}\n\n: ping\n\ndata: {"text": "b"}\n\ndata: [DONE]\n'
    assert opened(text) == [{"text": "a"}, {"text": "b"}]
    assert opened("data: none of it") == "data: none of it"


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ('```json\n{"error": true, "message": "The server is busy."}\n```', True),
        ('```json\n{"opening": "10:00"}\n```', False),
        ("An error: 5 may be shown.", False),
    ],
)
def test_the_error_of_a_program_in_place_of_a_text_is_a_failure(text, failed):
    """Other data between fences are what the assistant says."""
    assert has_failed({}, text) is failed


def test_the_error_of_a_client_in_place_of_a_reply_is_none():
    """It says so in the reason."""
    answer = read_answer("Error code: 529 - {'type': 'error'}", ())
    assert answer is not None
    assert not answer.texts
    assert "failed" in answer.reason


def test_the_rows_of_a_store_stand_under_its_kind_and_their_ids():
    """Settings beside them are no rows."""
    rows = [{"id": name, "messages": [{"role": "user", "content": "Hi"}]} for name in ("a1", "b2")]
    store = {"settings": {"theme": 2}, **{f"session:{one['id']}": one for one in rows}}
    assert held_rows(store) == rows


def test_tables_under_one_name_are_one_row():
    """Versions and dates stand beside them; two lists may be those of any row."""
    tables = {name: [{"id": 1}] for name in ("messages", "chunks", "links")}
    assert held_rows({"version": 3, "data": tables}) == [tables]
    del tables["links"]
    assert held_rows({"version": 3, "backup": tables}) is None


def test_dialogues_under_names_of_their_own_are_rows_by_these():
    """All have the same lists."""
    named = {"dial_1": {"turns": [{"q": "a"}]}, "dial_2": {"turns": [{"q": "b"}]}}
    assert held_rows(named) == [{"id": name, **one} for name, one in named.items()]


def conversation(*messages):
    """Return the turns of messages with a description of their fields."""
    stated = {
        "engine": "messages", "unit": "message", "kinds": {"assistant": ["GUIDE"], "tool": ["TOOL"]},
        "fields": {"role": ["by"], "content": ["text"], "knowledge": ["text.results[].text"]},
    }  # fmt: skip
    units = [LogUnit(n, {"by": by, **held}, "g") for n, (by, held) in enumerate(messages)]
    found = turns_of(read_format("", stated, ""), units, Overrides())
    return [(one["response"], texts(one["knowledge"])) for _, one in found if isinstance(one, dict)]


def test_a_call_of_a_tool_in_the_tools_name_is_no_knowledge():
    """Its result is."""
    call = json.dumps({"name": "search", "parameters": {"q": "returns"}})
    result = json.dumps({"results": [{"title": "Returns", "text": FACT}]})
    found = conversation(
        ("USER", {"text": "May I?"}), ("TOOL", {"text": call}), ("TOOL", {"text": result}),
        ("GUIDE", {"text": "Within 30 days."}),
    )  # fmt: skip
    assert found == [("Within 30 days.", [FACT])]


def test_a_note_that_a_program_marks_as_its_own_is_no_reply():
    """The mark is no text such as "False"."""
    found = conversation(
        ("USER", {"text": "Hi"}), ("GUIDE", {"text": "Hello!"}),
        ("GUIDE", {"text": "Saved.", "is_system": True}), ("GUIDE", {"text": "Bye!", "is_system": "False"}),
    )  # fmt: skip
    assert found == [("Hello!", []), ("Bye!", [])]


def test_a_flag_named_after_a_speaker_tells_who_speaks():
    """Another field has values beside some of the replies alone."""
    rows = []
    for n, (question, reply, (passage,)) in enumerate(ASKED):
        rows += [
            {"is_user": True, "text": question},
            {"is_user": False, "text": reply, "docs": [passage], **({"api": "x"} if n else {})},
        ]
    proposals, _ = discover(rows)
    assert proposals[0].fields["role"] == ["is_user"]


def test_steps_of_an_agent_are_no_speakers():
    """Numbers in a field that counts name nobody."""
    rows = []
    for question, reply, (passage,) in ASKED:
        rows += [
            {"kind": "task", "text": question, "step": 0},
            {"kind": "answer", "text": reply, "docs": [passage], "step": 1},
        ]
    proposals, _ = discover(rows)
    assert proposals[0].fields["role"] == ["kind"]


def test_a_reply_in_pieces_is_one_text():
    """The words are cut anywhere."""
    rows = rows_of(
        ask="question",
        docs=lambda held: [held["passage"]],
        events=lambda held: [
            {"delta": held["reply"][n : n + 4]} for n in range(0, len(held["reply"]), 4)
        ],
    )
    proposals, _ = discover(rows)
    assert proposals[0].fields["response"] == ["events[].delta"]
    assert proposals[0].described["glue"] == ""


def test_texts_are_streamed_if_they_are_many_short_pieces():
    """Sentences in a list are none."""
    assert Column("a[]", [["The sh", "op op", "ens at", " ten."]]).is_streamed
    assert not Column("a[]", [["It opens.", "It closes.", "Ask us.", "We help."]]).is_streamed


def test_attached_texts_and_results_of_tools_are_more_knowledge():
    """Files that are named alone are not."""
    rows = rows_of(ask="question", said="reply", chunks=lambda held: [{"content": held["passage"]}])
    rows[0]["attachments"] = [
        {"content": "A note of the customer says that the box was open before."}
    ]
    rows[1]["tool_results"] = [{"name": "orders", "content": '{"order": 7}'}]
    rows[2]["files"] = [{"name": "a.pdf"}]
    assert read_by(rows)["more"] == ["attachments", "tool_results"]


def test_a_passage_that_was_joined_from_a_list_gives_way_to_the_list():
    """A program logs both."""
    rows = rows_of(
        ask="question",
        said="reply",
        chunks=lambda held: f"{held['passage']}\n{FACT}",
        apart=lambda held: [held["passage"], FACT],
    )
    assert read_by(rows)["knowledge"] == ["apart"]


def test_what_stands_above_the_line_that_tells_a_model_to_answer_is_the_question():
    """It need be no question, and may speak of the user."""
    text = f"I live in Bonn.\n\nAnswer using the following information:\n{FACT}\n\n{OTHER}"
    parts = split_prompt(text, user=True)
    assert parts is not None
    assert (texts(parts.passages), parts.rest) == ([FACT, OTHER], "I live in Bonn.")
