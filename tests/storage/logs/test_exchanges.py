"""Texts that hold requests and responses: transcripts of HTTP, logs of clients, and streams of events."""

import json

from qsquared.storage.logs.file_types.exchanges import exchanges, has_exchanges
from qsquared.storage.logs.rows import Limits

ASKED = {"messages": [{"role": "user", "content": "May I return it?"}]}
TOLD = {
    "answer": "Within 30 days.",
    "sources": [{"text": "Parcels may be returned within 30 days."}],
}


def read(text, limits=None):
    """Return the rows of a text."""
    lines = ((n, (line.encode(), True)) for n, line in enumerate(text.splitlines(keepends=True), 1))
    return [row for _, row, _ in exchanges(lines, limits or Limits())]


def sent(body, indent=2):
    """Return a request as a transcript has it."""
    return f"POST /v1/chat HTTP/1.1\nContent-Type: application/json\n\n{json.dumps(body, indent=indent)}\n\n"


def told(body, indent=2):
    """Return a response as a transcript has it."""
    return (
        f"HTTP/1.1 200 OK\nContent-Type: application/json\n\n{json.dumps(body, indent=indent)}\n\n"
    )


def test_a_transcript_gives_each_request_with_its_response():
    """Bodies stand over several lines or on one."""
    text = (sent(ASKED) + told(TOLD)) * 2 + sent(ASKED, None) + told(TOLD, None)
    assert has_exchanges(text.encode().splitlines())
    assert read(text) == [{"request": ASKED, "response": TOLD}] * 3


def test_a_request_that_failed_has_no_response():
    """The next request begins a row of its own."""
    rows = read(sent(ASKED) + "HTTP/1.1 503 Service Unavailable\n\n" + sent(ASKED) + told(TOLD))
    assert rows == [{"request": ASKED}, {"request": ASKED, "response": TOLD}]


def test_a_stream_of_events_is_a_response():
    """Its lines hold the data of each event."""
    events = "".join(f'data: {{"delta": "{piece}"}}\n\n' for piece in ("With", "in 30 days."))
    rows = read(sent(ASKED) + "HTTP/1.1 200 OK\n\n" + events + "data: [DONE]\n\n" + sent(ASKED))
    assert rows[0]["response"] == [{"delta": "With"}, {"delta": "in 30 days."}]
    assert len(rows) == 2


def test_the_log_of_a_client_is_read_by_what_it_says_of_each_body():
    """The id of a request in a header of the response says nothing."""
    body = json.dumps(ASKED, indent=1)
    answer = json.dumps(TOLD, indent=1)
    text = (
        f"10:00:01 INFO Client : HTTP request:\n- method: POST\n- body: {body}\n\n"
        f"10:00:02 INFO Client : HTTP response:\n- headers: [x-request-id: req_1]\n- body: {answer}\n\n"
    )
    assert read(text * 2) == [{"request": ASKED, "response": TOLD}] * 2


def test_the_body_of_a_command_stands_between_quotes():
    """Headers that hold objects are no bodies."""
    text = f"curl -X POST 'https://a.example/runs' \\\n-H 'X-Sdk: {{\"v\": 1}}' \\\n-d '{json.dumps(ASKED)}'\n\n"
    assert read(text + json.dumps(TOLD, indent=1) + "\n") == [{"request": ASKED, "response": TOLD}]


def test_an_object_that_breaks_off_costs_itself_alone():
    """The line of another record ends it."""
    text = (
        sent(ASKED)
        + 'HTTP/1.1 200 OK\n\n{\n  "answer": "With\n'
        + "10:00 next\n"
        + sent(ASKED)
        + told(TOLD)
    )
    assert read(text) == [{"request": ASKED}, {"request": ASKED, "response": TOLD}]


def test_a_second_object_after_a_response_is_kept_beside_it():
    """The server may log more after its answer."""
    rows = read(sent(ASKED) + told(TOLD) + json.dumps({"took": 3}) + "\n")
    assert rows == [{"request": ASKED, "response": TOLD, "others": [{"took": 3}]}]


def test_lines_that_are_rows_of_their_own_are_no_exchanges():
    """Each line of a server ends in its object."""
    lines = [f'10:00:0{n} INFO request: {{"q": "x"}}'.encode() for n in range(5)]
    assert not has_exchanges([*lines, *(line.replace(b"request", b"response") for line in lines)])


def test_responses_to_requests_that_stand_mixed_are_no_rows():
    """Nothing says to which request each belongs."""
    rows = read((sent(ASKED) + sent({"messages": []}) + told(TOLD) + told({"answer": "No."})) * 2)
    assert all("response" not in row for row in rows if isinstance(row, dict))
    assert any(isinstance(row, str) and "mixed" in row for row in rows)
