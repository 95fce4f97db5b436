"""Tests that each row of a foreign log becomes turns or a reject, whatever its fields hold."""

import json
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qsquared.storage.logs.envelopes import unwrapped
from qsquared.storage.logs.fields.mapping import FIELDS
from qsquared.storage.logs.format_engines.formats import known_formats
from qsquared.storage.logs.format_engines.recognition import adapted
from qsquared.storage.logs.format_engines.units import TOO_LONG, Overrides
from qsquared.storage.logs.rows import Limits, RawRow, UnreadableRow
from qsquared.storage.logs.turns_and_rejects import EMPTY_RESPONSE, to_turn
from tests.hostile.test_any_log import check_all_out, read_back, texts
from tests.storage.logs.adapter_logs import LOGS, otlp, request, span
from tests.storage.logs.program_logs import PROGRAMS

SOME = settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
FEWER = settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
SAME = {name: name for name in FIELDS}
WORDS = sorted(
    {
        "messages", "choices", "message", "content", "text", "parts", "role", "type", "dialog", "speaker", "kwargs",
        "tool_calls", "response", "request", "body", "attributes",
        "resourceSpans", "scopeSpans", "spans", "key", "value",
        "stringValue", "kvlistValue", "values", "arrayValue", "traceId", "spanId", "output", "input", "documents",
        "metadata", "trace_id", "id", "inputs", "outputs", "extra", "checked_sentence", "retrieved_passages",
        "gen_ai.output.messages", "gen_ai.retrieval.documents", "gen_ai.operation.name", "llm.output_messages",
        "attributes.output.value", "attributes.retrieval.documents.0.document.content", "custom_id",
        "run_type", "parent_id",
    }
)  # fmt: skip
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | texts
    | st.sampled_from(
        [
            "assistant",
            "tool",
            "chat",
            "RETRIEVER",
            "llm",
            "1_Wizard",
            "tool_call_response",
            '[{"text": "k"}]',
            "{",
        ]
    )
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(WORDS) | texts, inner, max_size=4)
    ),
    max_leaves=12,
)


def spoilt(rows):
    """Rows of a real log in which any value, anywhere, may have been replaced."""

    def of(value):
        whole = st.just(value)
        if isinstance(value, dict) and value:
            whole = st.fixed_dictionaries({key: of(item) for key, item in value.items()})
        elif isinstance(value, list) and value:
            whole = st.tuples(*(of(item) for item in value)).map(list)
        return st.integers(0, 9).flatmap(lambda n: values if n == 0 else whole)

    return st.tuples(*(of(row).filter(lambda made: isinstance(made, dict)) for row in rows))


def outcomes(name, rows):
    """Read rows by an adapter."""
    raw = [RawRow(i, i + 1, row, "") for i, row in enumerate(rows)]
    return list(adapted(raw, known_formats()[name], Overrides(), Limits()))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", LOGS)
@SOME
@given(st.data())
def test_no_value_in_a_log_ends_its_reading(name, data):
    """Every row gives at least one outcome, numbered in order, that the store can hold."""
    rows = data.draw(
        spoilt(LOGS[name])
        | st.lists(st.dictionaries(st.sampled_from(WORDS), values), min_size=1, max_size=3).map(
            tuple
        )
    )
    found = outcomes(name, rows)
    assert found
    assert [one.position for one in found] == list(range(len(found)))
    assert {one.line for one in found} <= set(range(1, len(rows) + 1))
    for one in found:
        if isinstance(one, UnreadableRow):
            assert one.reason[0].isupper()
            assert one.reason.endswith((".", ")."))
            continue
        turn = to_turn(one, "f", "x.jsonl", SAME)
        if isinstance(turn, str):
            assert turn.endswith(".")
        else:
            assert json.loads(turn["metadata"]) is not None
            assert turn["response"].encode() or turn["status"] == EMPTY_RESPONSE


@pytest.mark.parametrize(
    "row",
    [
        {"body": None, "attributes": None},
        {"eventName": "http.request", "attributes": {}, "body": "GET /"},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": "GET /", "attributes": []}]}]}]},
        request(),
    ],
)
def test_a_row_of_opentelemetry_without_a_span_or_a_genai_event_is_a_reject(row):
    """It is counted and named, not passed over."""
    (reject,) = outcomes("otel", [row])
    assert reject.reason == "The row holds nothing of the format otel."


@pytest.mark.sampled(4)
@pytest.mark.parametrize("program", PROGRAMS)
@FEWER
@given(st.data())
def test_no_value_in_a_programs_log_ends_its_reading_or_makes_up_a_passage(program, data):
    """Each passage is a text of the log, or the JSON of an object in it; no error word is one."""
    made, name = PROGRAMS[program]
    rows = [
        dict(row.fields)
        for row in unwrapped([RawRow(i, i + 1, r, "") for i, r in enumerate(made())])
    ]
    rows = data.draw(spoilt(rows[:3]))
    held = {text for row in rows for text in all_texts(row)}
    everything = "\n".join(held)
    for one in outcomes(name, rows):
        turn = one if isinstance(one, UnreadableRow) else to_turn(one, "f", "x.jsonl", SAME)
        if isinstance(turn, dict):
            for passage in turn["knowledge"]:
                assert passage.strip()
                assert passage in everything or json_in(passage, rows), passage
                assert passage.lower() not in {"null", "none", "[]", "nan"}


def all_texts(value):
    """All texts within a value, also within the JSON that a text holds, as a store can hold them."""
    if isinstance(value, str):
        yield re.sub("[\ud800-\udfff]", "\ufffd", value)
        try:
            inner = json.loads(value)
        except (ValueError, RecursionError):
            return
        yield from all_texts(inner)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from all_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from all_texts(inner)
    elif value is not None:
        yield str(value)


def json_in(passage, rows):
    """Whether a passage is the JSON of a value, or the parts of a content one after another."""
    try:
        json.loads(passage)
    except (ValueError, RecursionError):
        texts = {text for row in rows for text in all_texts(row)}
        return all(line in "\n".join(texts) for line in passage.split("\n"))
    return True


@pytest.mark.parametrize("name", LOGS)
def test_each_row_of_a_foreign_log_comes_out_once(name):
    """A hundred copies, broken lines between them: positions and lines tell of all of them."""
    lines = [json.dumps(row) for row in LOGS[name]]
    data = ("\n".join([*lines, "{broken", *lines * 20, "[1]"]) + "\n").encode()
    with read_back("x.jsonl", data) as (turns, rejects):
        check_all_out(turns, rejects, len(turns) + len(rejects))
        assert turns
        assert {len(lines) + 1, 21 * len(lines) + 2} <= {reject["line"] for reject in rejects}


def test_a_trace_without_an_end_is_a_reject(monkeypatch):
    """Spans that all name one trace take no more memory than a row may."""
    monkeypatch.setenv("Q2_MAX_ROW_MB", "1")
    row = dict(LOGS["langfuse"][0], output="x" * 50_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for _ in range(40)))
        with read_back("x.jsonl", path.read_bytes()) as (turns, rejects):
            assert turns == []
            assert ["longer than 1 MB" in reject["reason"] for reject in rejects] == [True]


@pytest.mark.parametrize("name", ["openai", "wizard", "otel"])
def test_what_is_no_conversation_any_more_is_a_reject(name):
    """Replies that would each carry thousands of texts before them do not fill memory or disk."""
    call = span(1, None, {"gen_ai.operation.name": "chat"})
    tools = [{"role": "tool", "content": f"k{number}"} for number in range(10)]
    said = [{"role": "assistant", "content": "Yes."}]
    call["attributes"] += otlp({"gen_ai.output.messages": said, "gen_ai.input.messages": tools})
    row = {
        "openai": {"messages": said * 5000},
        "wizard": {"dialog": [{"speaker": "0_Wizard", "text": "Yes."}] * 5000},
        # Below one root that replies to nothing, what each was asked counts for all.
        "otel": request(
            *[call | {"spanId": f"{i:016x}", "parentSpanId": "f" * 16} for i in range(400)]
        ),
    }[name]
    (reject,) = outcomes(name, [row])
    assert reject.reason == TOO_LONG


def test_spans_around_each_other_in_a_circle_end():
    """Parents that name each other hide each other's replies, and the trace says that it has none."""
    one, other = dict(LOGS["langfuse"][0]), dict(LOGS["langfuse"][0])
    one |= {"id": "a", "parent_observation_id": "b"}
    other |= {"id": "b", "parent_observation_id": "a"}
    assert len(outcomes("langfuse", [one, other])) == 1


def test_deep_nesting_is_a_reject():
    """A row that is nested too deeply for Python is a reject."""
    deep = "x"
    for _ in range(3000):
        deep = {"kwargs": deep}
    assert isinstance(
        outcomes("langsmith", [{"run_type": "chain", "outputs": deep}])[0], UnreadableRow
    )
