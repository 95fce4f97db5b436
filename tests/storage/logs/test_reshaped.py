"""Objects of lists and rows that belong together are put together, and nothing else is."""

from qsquared.storage.logs.fields.reshaped import Relation, nested
from qsquared.storage.logs.format_engines.formats import read_format
from qsquared.storage.logs.format_engines.recognition import adapted
from qsquared.storage.logs.format_engines.units import Overrides
from qsquared.storage.logs.rows import Limits, RawRow, UnreadableRow

SOURCES = Relation(rows="sources", key="answer", into="answers", id="id")
FORM = {
    "engine": "records",
    "unit": "part",
    "group": ["req"],
    "fields": {"response": ["said"], "knowledge": ["found"], "question": ["asked"]},
}


TALK = {
    "engine": "messages",
    "unit": "message",
    "group": ["talk"],
    "kinds": {"assistant": ["bot"]},
    "fields": {"role": ["by"], "content": ["text"], "knowledge": ["found"]},
}


def outcomes(rows, form=FORM):
    """The turns and rejects of rows whose parts are put together."""
    raw = [RawRow(n, n + 1, row, "") for n, row in enumerate(rows)]
    return list(adapted(raw, read_format("x", form, "x"), Overrides(), Limits()))


def test_objects_are_held_by_those_that_they_belong_to():
    """Also where an object lists the ids of several."""
    row = {"answers": [{"id": ["a", "b"]}, {"id": "c"}], "sources": [{"answer": n} for n in "cab"]}
    assert nested(row, [SOURCES])["answers"] == [
        {"id": ["a", "b"], "sources": [{"answer": "a"}, {"answer": "b"}]},
        {"id": "c", "sources": [{"answer": "c"}]},
    ]


def test_a_cell_may_list_the_ids_of_several():
    """As people write them in a sheet."""
    row = {"answers": [{"id": "a; b"}, {"id": "c"}], "sources": [{"answer": n} for n in "abc"]}
    held = [
        [part["answer"] for part in one["sources"]] for one in nested(row, [SOURCES])["answers"]
    ]
    assert held == [["a", "b"], ["c"]]


def test_objects_without_ids_do_not_belong_together():
    """An id that is missing, null or empty is none."""
    row = {
        "answers": [{"x": 1}, {"id": None}],
        "sources": [{"y": 1}, {"answer": None}, {"answer": ""}],
    }
    assert [one["sources"] for one in nested(row, [SOURCES])["answers"]] == [[], []]


def test_the_parts_of_a_turn_are_one_whatever_stands_between_them():
    """Requests overlap in the log of a server."""
    rows = [{"req": "r1", "asked": "When?"}, {"req": "r2", "asked": "Where?"},
            {"req": "r1", "found": ["It opens at ten."]}, {"req": "r2", "said": "In Bonn."},
            {"req": "r1", "said": "At ten."}]  # fmt: skip
    turns = [one.fields for one in outcomes(rows)]
    assert [(turn["response"], turn["history"], turn["knowledge"]) for turn in turns] == [
        ("At ten.", ["When?"], [{"text": "It opens at ten."}]),
        ("In Bonn.", ["Where?"], []),
    ]


def test_of_several_replies_with_one_id_none_is_lost_in_silence():
    """Each is a reject, since nothing tells whose the knowledge is; a reply that is repeated is one."""
    rows = [{"req": "r1", "said": "At ten."}, {"req": "r1", "said": "At nine."},
            {"req": "r2", "said": "In Bonn."}, {"req": "r2", "said": "In Bonn."}]  # fmt: skip
    found = outcomes(rows)
    assert [one.line for one in found if isinstance(one, UnreadableRow)] == [1, 2]
    assert [one.fields["response"] for one in found if isinstance(one, RawRow)] == ["In Bonn."]


def test_each_row_of_a_turn_may_hold_a_passage():
    """A server logs a line for each hit; one that is logged twice is one."""
    rows = [{"req": "r1", "found": "It opens at ten."}, {"req": "r1", "found": "It is closed on Mondays."},
            {"req": "r1", "found": "It opens at ten."}, {"req": "r1", "said": "At ten."}]  # fmt: skip
    (turn,) = outcomes(rows)
    assert turn.fields["knowledge"] == [
        {"text": "It opens at ten."},
        {"text": "It is closed on Mondays."},
    ]


def test_a_row_that_names_no_turn_is_none():
    """A text without the id of a request is no reply; a row with all parts is a turn."""
    rows = [{"said": "When does it open?"}, {"said": "At ten.", "found": "It opens at ten."},
            {"req": "r1", "said": "In Bonn."}]  # fmt: skip
    found = outcomes(rows)
    assert [one.fields["response"] for one in found if isinstance(one, RawRow)] == [
        "At ten.",
        "In Bonn.",
    ]
    assert [one.reason for one in found if isinstance(one, UnreadableRow)] == [
        "The row has no req, by which the parts of a turn belong together."
    ]


def test_a_request_that_repeats_the_conversation_adds_its_own_answer_only():
    """Programs log all messages of each request; the repeated answer is a reject."""
    first = [
        {"talk": 1, "by": "user", "text": "When?"},
        {"talk": 1, "by": "bot", "text": "At ten."},
    ]
    more = [
        {"talk": 1, "by": "user", "text": "Where?"},
        {"talk": 1, "by": "bot", "text": "In Bonn."},
    ]
    found = outcomes([*first, *first, *more], TALK)
    turns = [one.fields for one in found if isinstance(one, RawRow)]
    assert [(turn["response"], turn["history"]) for turn in turns] == [
        ("At ten.", ["When?"]),
        ("In Bonn.", ["When?", "At ten.", "Where?"]),
    ]
    assert [one.line for one in found if isinstance(one, UnreadableRow)] == [4]


def test_the_passages_of_what_a_user_sends_are_known():
    """Requests hold the question with the documents that were found for it."""
    rows = [{"talk": 1, "by": "user", "text": "When?", "found": ["It opens at ten."]},
            {"talk": 1, "by": "bot", "text": "At ten."}]  # fmt: skip
    (turn,) = outcomes(rows, TALK)
    assert turn.fields["knowledge"] == [{"text": "It opens at ten."}]
