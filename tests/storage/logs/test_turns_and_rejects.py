"""Fields of a log row as the fields of a turn."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.errors import UsageError
from qsquared.storage.keys import pair_id
from qsquared.storage.logs.fields import times
from qsquared.storage.logs.fields.mapping import expected_columns, parse_mapping, sources
from qsquared.storage.logs.fields.passages import read_knowledge
from qsquared.storage.logs.fields.values import FieldError
from qsquared.storage.logs.read_options import ReadOptions
from qsquared.storage.logs.rows import RawRow
from qsquared.storage.logs.turns_and_rejects import UNREAD_TIME, to_turn

NAN = float("nan")
GOOD = {"response": "r", "knowledge": "k"}


def turn(fields: dict[str, Any], mapping: dict[str, str] | None = None) -> Any:
    """The turn, or the reason against it, of a row with these fields."""
    row = RawRow(3, 7, fields, "")
    return to_turn(row, "ab" * 16, "day.jsonl", sources(mapping or {}))


def test_a_whole_row_becomes_a_turn() -> None:
    """Every field has its place and type, and the rest is metadata."""
    found = turn(
        {
            "id": 5,
            "conversation_id": "c",
            "turn": "2",
            "timestamp": "2026-01-01T02:00:00+02:00",
            "history": ["a", {"speaker": "user", "text": "b"}, {"role": "bot", "content": "c"}],
            "knowledge": ["k1", " ", "k2"],
            "response": " r ",
            "model": {"name": "x", "loss": NAN},
        }
    )
    assert found == {
        "input": "ab" * 16,
        "position": 3,
        "line": 7,
        "id": "5",
        "conversation_id": "c",
        "turn": 2,
        "timestamp": datetime(2026, 1, 1, tzinfo=UTC),
        "history": ["a", "b", "c"],
        "knowledge": ["k1", "k2"],
        "response": " r ",
        "metadata": '{"model": {"name": "x", "loss": null}}',
        "pair_id": pair_id(" r ", ["k1", "k2"]),
        "status": None,
        "reason": None,
    }


def test_a_row_needs_only_response_and_knowledge() -> None:
    """Fields that are not logged are NULL or empty, and the id names file and row."""
    found = turn(GOOD)
    assert found["id"] == "day.jsonl:7"
    assert found["history"] == []
    assert [found[name] for name in ("conversation_id", "turn", "timestamp")] == [None] * 3
    assert found["metadata"] == "{}"


@pytest.mark.parametrize("response", ["", "  \n", "\u00a0"])
@pytest.mark.parametrize("knowledge", ["k", None])
def test_a_blank_response_is_a_turn_with_a_status(response: str, knowledge: str | None) -> None:
    """A blank response has the status empty_response, whatever the knowledge."""
    found = turn({"response": response, "knowledge": knowledge})
    assert (found["status"], found["pair_id"]) == ("empty_response", None)
    assert found["reason"]


@pytest.mark.parametrize("knowledge", [None, "", " ", [], ["", " "], [None], NAN])
def test_no_knowledge_is_a_turn_with_a_status(knowledge: Any) -> None:
    """Missing or blank knowledge has the status no_knowledge."""
    for fields in ({"response": "r", "knowledge": knowledge}, {"response": "r"}):
        found = turn(fields)
        assert (found["status"], found["pair_id"]) == ("no_knowledge", None)
        assert found["reason"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"turn": "abc"}, "Field 'turn' is 'abc', not a whole number."),
        ({"turn": 1.5}, "Field 'turn' is 1.5, not a whole number."),
        ({"turn": True}, "Field 'turn' is True, not a whole number."),
        ({"turn": 2**31}, "Field 'turn' is 2147483648, not a 32-bit number."),
        ({"response": None}, "Field 'response' is null, not a text."),
        ({"response": 3}, "Field 'response' is 3, not a text."),
        ({"knowledge": 3}, "Field 'knowledge' is 3, not a text or a list of texts."),
        ({"knowledge": {}}, "Field 'knowledge' is a JSON object, not a text or a list of texts."),
        ({"knowledge": ["a", 1]}, "Field 'knowledge' is a list, not a list of texts."),
        ({"history": [{"speaker": "x"}]}, "Field 'history' is a list, not a list of texts."),
        ({"id": [1]}, "Field 'id' is a list, not a text or whole number."),
        ({"conversation_id": True}, "Field 'conversation_id' is True, not a text or whole number."),
    ],
)
def test_a_wrong_type_is_a_reject_that_names_the_field(fields: dict[str, Any], reason: str) -> None:
    """The reason is a sentence with the field and what was found."""
    assert turn({**GOOD, **fields}) == reason


def test_a_missing_response_is_a_reject() -> None:
    """Without the field, under the name that the log gives it, there is no turn."""
    assert turn({"knowledge": "k"}) == "Field 'response' is missing."
    assert turn({"response": "k"}, {"answer": "response"}) == "Field 'answer' is missing."


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2024-05-01T00:00:00Z", 1714521600),
        ("2024-05-01 02:00:00.5+02:00", 1714521600.5),
        ("2024-05-01T00:00:00", 1714521600),
        ("20240501", 1714521600),
        ("1714521600", 1714521600),
        (1714521600, 1714521600),
        (1714521600.25, 1714521600.25),
        (Decimal(1714521600), 1714521600),
        (datetime(2024, 5, 1), 1714521600),  # noqa: DTZ001 - naive on purpose
        (date(2024, 5, 1), 1714521600),
    ],
)
def test_times_are_read_as_utc(value: Any, seconds: float) -> None:
    """ISO 8601, dates and seconds since 1970 give the same moment in UTC."""
    found = turn({**GOOD, "timestamp": value})["timestamp"]
    assert found.timestamp() == seconds
    assert found.tzinfo is UTC


@pytest.mark.parametrize("value", ["yesterday", True, [1], 1e300, "24:61", "1e9", "03/04/2026"])
def test_a_time_that_cannot_be_read_costs_the_time_alone(value: Any) -> None:
    """An invalid or ambiguous time is kept as it was, and is never a wrong year."""
    found = turn({**GOOD, "timestamp": value})
    assert found["timestamp"] is None
    assert json.loads(found["metadata"]).keys() == {UNREAD_TIME}


@pytest.mark.parametrize(
    "value",
    [
        "18.11.2026 09:30", "18.11.2026, 09:30:00", "11/18/2026 9:30 AM", "18/11/2026 09:30", "2026/11/18 09:30:00",
        "Wed, 18 Nov 2026 09:30:00 GMT", "18 Nov 2026 09:30", "November 18, 2026 09:30", "2026-11-18 09:30:00 UTC",
        "Nov 18, 2026, 09:30 AM", "18-Nov-2026 09:30:00",
        "2026-11-18 9:30", "2026-11-18T9:30:00Z",
    ],
)  # fmt: skip
def test_dates_are_read_in_the_usual_forms(value: str) -> None:
    """The day comes first with dots; with slashes only where day and month cannot be confused."""
    assert turn({**GOOD, "timestamp": value})["timestamp"] == datetime(
        2026, 11, 18, 9, 30, tzinfo=UTC
    )


def test_a_stated_form_of_time_reads_what_is_ambiguous() -> None:
    """--time-format has its way over the usual forms."""
    row = RawRow(0, 1, {**GOOD, "timestamp": "03/04/2026"}, "")
    found = to_turn(row, "ab" * 16, "x", sources({}), ReadOptions(time_form="%m/%d/%Y"))
    assert isinstance(found, dict)
    assert found["timestamp"] == datetime(2026, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cell", "knowledge"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        ("['a'\n 'b']", ["a", "b"]),
        ("['it\\'s', \"b, c\"]", ["it's", "b, c"]),
        ("[{'id': 1, 'text': 'a'}, {'text': 'b'}]", ["a", "b"]),
        ("[Document(metadata={'source': 'x'}, page_content='a')]", ["a"]),
        ('{"documents": [{"content": "a"}]}', ["a"]),
        ("[1] says", ["[1] says"]),
        ("[1]", ["[1]"]),
        ("null", []),
        ("None", []),
        ("[]", []),
        ("NaN", []),
    ],
)
def test_lists_may_stand_in_cells(cell: str, knowledge: list[str]) -> None:
    """A list as JSON, Python or NumPy writes it is read; a text that only begins like one stays a text."""
    assert turn({"response": "r", "knowledge": cell})["knowledge"] == knowledge


@pytest.mark.parametrize("cell", ["['a' ... 'z']", "['it's']", "[{'text': open('x')}]"])
def test_a_list_that_cannot_be_read_is_a_reject(cell: str) -> None:
    """It never becomes one passage with brackets, and nothing of it is run."""
    assert "not a list that can be read" in turn({"response": "r", "knowledge": cell})


def test_lone_surrogates_are_replaced_and_nul_is_kept() -> None:
    """No character of a log can break the store."""
    row = {"response": "a\ud800\0", "knowledge": ["\udfff"], "id": "\ud800", "m\ud800": "\ud800"}
    found = turn(row)
    assert found["response"] == "a\ufffd\0"
    assert found["knowledge"] == ["\ufffd"]
    assert found["id"] == "\ufffd"
    assert json.loads(found["metadata"]) == {"m\ufffd": "\ufffd"}


def test_a_mapped_field_takes_the_part_of_ours() -> None:
    """The mapped field counts; a field that bears our name without the part is metadata."""
    found = turn({"answer": "A", "response": "B", "knowledge": "k"}, {"answer": "response"})
    assert found["response"] == "A"
    assert found["metadata"] == '{"response": "B"}'
    swapped = turn(
        {"response": "A", "knowledge": "B"}, {"response": "knowledge", "knowledge": "response"}
    )
    assert (swapped["response"], swapped["knowledge"]) == ("B", ["A"])


def test_mappings_are_read() -> None:
    """A pair reads theirs=ours, and theirs may hold an equals sign."""
    assert parse_mapping(["a=response", "b=c=knowledge"]) == {"a": "response", "b=c": "knowledge"}
    assert expected_columns({"a": "response", "b": "id"}) == ["a", "b"]
    assert expected_columns({}) == ["response"]


@pytest.mark.parametrize(
    "pairs",
    [["response"], ["=response"], ["a="], ["a=reply"], ["a=id", "a=turn"], ["a=id", "b=id"]],
)
def test_a_wrong_mapping_is_a_usage_error(pairs: list[str]) -> None:
    """Unknown targets, repeated names and missing parts are refused with a hint."""
    with pytest.raises(UsageError) as caught:
        parse_mapping(pairs)
    assert caught.value.hint


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
NAMES = st.sampled_from(
    ["id", "conversation_id", "turn", "timestamp", "history", "knowledge", "response", "other"]
)


@given(st.dictionaries(NAMES, JSON))
def test_any_row_is_a_turn_or_a_reason(fields: dict[str, Any]) -> None:
    """No JSON object raises; a turn's metadata is strict JSON."""
    found = turn(fields)
    if isinstance(found, str):
        assert found.endswith(".")
    else:
        json.loads(found["metadata"], parse_constant=pytest.fail)
        assert (found["pair_id"] is None) == (found["status"] is not None)


@pytest.mark.parametrize("factor", [1, 1000, 1_000_000, 1_000_000_000])
def test_epoch_times_are_reported_by_their_size(factor):
    """Seconds, milli-, micro- and nanoseconds since 1970 give the same time."""
    expected = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)
    assert times.moment_of(int(expected.timestamp()) * factor) == expected


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Fri Nov 20 2026 14:00:00 GMT+0100 (Central European Standard Time)", "2026-11-20T13:00Z"),
        ("20261120103000", "2026-11-20T10:30Z"),
        (20261120103000, "2026-11-20T10:30Z"),
        (20261120, "2026-11-20T00:00Z"),
    ],
)
def test_a_time_keeps_its_zone_and_its_year(written: str | int, read: str) -> None:
    """JavaScript prints its zone before a name of it; digits that stand together are a date."""
    assert times.moment_of(written) == datetime.fromisoformat(read)


def test_a_text_without_a_date_is_tried_in_no_form_of_one(monkeypatch):
    """A survey asks it of every text of a log: 73 forms each took minutes."""
    monkeypatch.setattr(times, "_date_in_words", pytest.fail)
    for text in ("You may pay within 21 days.", "Read it in March, not in 2 years.", "no json"):
        assert times.moment_of(text) is None


@pytest.mark.parametrize("written", ["46346.4375", 46346.4375, "2026", 2026, "20261399103000", 0])
def test_a_number_that_may_not_be_a_time_costs_the_time(written: str | float) -> None:
    """Days of a spreadsheet, years and ids are no seconds since 1970."""
    found = turn({"response": "r", "knowledge": "k", "timestamp": written})
    assert isinstance(found, dict)
    assert found["timestamp"] is None


def test_passages_may_be_objects_with_a_text():
    """The usual shape of retrieved passages is read; an object without text is not."""
    passages = [{"title": "t", "text": "One."}, {"content": "Two."}, "Three."]
    assert read_knowledge("knowledge", passages)[0] == ["One.", "Two.", "Three."]
    with pytest.raises(FieldError):
        read_knowledge("knowledge", [{"title": "t"}])
