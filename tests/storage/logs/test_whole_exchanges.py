"""Tests of logs whose rows hold all of an exchange: what was asked, searched for, found, dropped and said."""

import base64
import json

from qsquared.storage.logs.fields.embedded_values import from_xml
from qsquared.storage.logs.format_engines.units import Overrides
from qsquared.storage.logs.messages.messages import read_messages
from qsquared.storage.logs.messages.replies import replies_in
from qsquared.storage.logs.prompts.prompt_parts import split_prompt
from qsquared.storage.logs.wrappings import taken_off
from tests.storage.conftest import Read
from tests.storage.logs.adapter_logs import FACT, OTHER, REPLY
from tests.storage.logs.test_proposals import FACTS, hits


def test_greetings_do_not_make_a_conversation_doubtful(turns):
    """A greeting before any question rests on nothing, however often it is said."""
    rows = []
    for n, (question, reply, fact) in enumerate(FACTS):
        chat = [
            {"who": "AI", "body": "Welcome! I am the assistant of the shop."},
            {"who": "guest", "body": question},
            {"who": "AI", "body": reply, "refs": [fact]},
        ]
        thanks = [{"who": "guest", "body": "Thank you."}, {"who": "AI", "body": "Gladly."}]
        rows.append({"chat": n, "messages_said": [*chat, *(thanks if n else [])]})
    assert [one for one in turns([{"chats": rows}]) if len(one) > 2] == list(FACTS)


def test_pages_beside_a_table_of_whole_turns_are_not_its_replies(turns):
    """The pages that the passages are from are longer than the replies, and repeat more of them."""
    log = [{"asked": q, "told": r, "ctx": fact, "at": n} for n, (q, r, fact) in enumerate(FACTS)]
    page = "".join(f"<p>{fact.replace(' ', '&#32;', 1)}</p>" for *_, fact in FACTS)
    pages = [{"slug": f"page-{n}", "html": f"<h1>{n}</h1>{page}"} for n, _ in enumerate(FACTS)]
    assert turns([{"log": log, "pages": pages}]) == list(FACTS)


def test_a_search_with_its_words_as_a_text_is_no_question(read: Read, tmp_path, monkeypatch):
    """Of two searches for one answer both count."""
    description = """
        engine = "messages"
        unit = "message"
        group = ["chat"]
        known = ["data"]
        kinds = {assistant = ["m-1"]}
        [fields]
        role = ["data.model"]
        content = ["data.text", "data.query"]
        knowledge = ["data.hits[].body"]
    """
    (tmp_path / "desk.toml").write_text(description)
    monkeypatch.setenv("Q2_FORMATS", str(tmp_path))
    searches = ({"query": one["body"][:12], "hits": [one]} for one in hits(0))
    said = [{"text": FACTS[0][0]}, *searches, {"text": FACTS[0][1], "model": "m-1"}]
    _, (turn,), _ = read([{"chat": "c", "data": one} for one in said])
    assert turn["history"] == [FACTS[0][0]]
    assert turn["knowledge"] == [one["body"] for one in hits(0)]


def test_data_of_another_tool_are_knowledge_as_they_are_written(turns):
    """One tool finds texts in a list of hits, another one answers with the numbers of an article."""
    stock = '{"article":"B-12","stock":3,"price_eur":184.50}'
    rows = []
    for n, (question, reply, fact) in enumerate(FACTS):
        found = stock if n == 1 else json.dumps({"count": 1, "finds": [{"page": n, "inner": fact}]})
        said = [
            ("user", {"Text": question}),
            ("tool", {"Result": found}),
            ("assistant", {"Text": reply}),
        ]
        rows.append({"history": [{"Role": {"Label": who}, "Items": [one]} for who, one in said]})
    assert turns(rows)[1] == (*FACTS[1][:2], stock)


def test_a_request_and_a_response_are_known_by_what_they_hold(read: Read):
    """Servers name them as they like."""
    said = [
        {"role": "system", "content": f"Answer from this.\n\nContext:\n{FACT}"},
        {"role": "user", "content": "How high is it?"},
    ]
    reply = {"choices": [{"message": {"role": "assistant", "content": REPLY}}]}
    _, (turn,), _ = read([{"level": "INFO", "rq": {"messages": said}, "rs": reply}])
    assert (turn["response"], turn["knowledge"]) == (REPLY, [FACT])


def test_a_reason_for_dropping_a_hit_says_that_it_was_dropped(turns):
    """Azure writes why it filtered a document, and nothing beside those that it gave to the model."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        own, other = hits(n)
        found = [own | {"filter_reason": None}, other | {"filter_reason": "rerank"}]
        rows.append({"q": question, "a": reply, "found": found})
    assert turns(rows) == [(q, r, hits(n)[0]["body"]) for n, (q, r, _) in enumerate(FACTS)]


def test_a_search_within_a_search_that_chose_among_its_finds_is_no_knowledge(read: Read):
    """A compressing retriever keeps some of what the retriever within it found, or nothing."""

    def trace(number: str, kept: list[str]) -> list[dict[str, object]]:
        def run(name: str, kind: str, parent: str | None, outputs: object) -> dict[str, object]:
            more = {"parent_run_id": parent and f"{parent}-{number}", "trace_id": number}
            times = {"start_time": "2026-03-02T09:00:00", "end_time": "2026-03-02T09:00:02"}
            own = {"id": f"{name}-{number}", "name": name, "run_type": kind, "outputs": outputs}
            return {**own, **more, **times, "inputs": {"input": "How high is it?"}}

        def documents(texts: list[str]) -> dict[str, object]:
            return {"documents": [{"page_content": text, "metadata": {}} for text in texts]}

        return [
            run("chain", "chain", None, {"output": REPLY}),
            run("outer", "retriever", "chain", documents(kept)),
            run("inner", "retriever", "outer", documents([FACT, OTHER])),
        ]

    _, turns, _ = read([*trace("t1", [FACT]), *trace("t2", [])])
    assert [turn["knowledge"] for turn in turns] == [[FACT], []]


def test_a_whole_answer_of_a_bedrock_agent_has_its_chunks_beside_its_trace(read: Read):
    """A guardrail answers in a chunk alone, without a final response in the trace."""
    data = '{"wire":"77","amount":2500.00}'
    called = {"observation": {"actionGroupInvocationOutput": {"text": data}}}
    final = {"observation": {"finalResponse": {"text": REPLY}}}
    streams = (
        [*({"trace": {"orchestrationTrace": one}} for one in (called, final)), {"chunk": {"bytes": REPLY}}],
        [{"trace": {"guardrailTrace": {"action": "INTERVENED"}}}, {"chunk": {"bytes": "I must not say."}}],
    )  # fmt: skip
    rows = [
        {"sessionId": f"s{n}", "inputText": "How much?", "completion": stream}
        for n, stream in enumerate(streams)
    ]
    texts = [json.dumps(row) for row in rows]
    for log in (rows, [{"exported": "today", "calls": rows}], [{"calls": texts}]):
        _, turns, _ = read(log)
        told = [(turn["response"], turn["knowledge"]) for turn in turns]
        assert told == [(REPLY, [data]), ("I must not say.", [])]


def test_steps_of_a_run_belong_to_the_thread_of_the_run(read: Read):
    """An export holds them below the run, and only that names the thread."""
    found = {"file_search": {"results": [{"content": [{"type": "text", "text": FACT}]}]}}
    step = {"object": "thread.run.step", "id": "s", "run_id": "r", "status": "completed",
            "step_details": {"tool_calls": [found]}}  # fmt: skip
    said = [
        {"object": "thread.message", "id": f"m{n}", "thread_id": "t", "created_at": n, "run_id": run,
         "role": role, "content": [{"type": "text", "text": {"value": text}}]}
        for n, (role, run, text) in enumerate([("user", None, "How high?"), ("assistant", "r", REPLY)])
    ]  # fmt: skip
    run = {"object": "thread.run", "id": "r", "thread_id": "t", "steps": {"data": [step]}}
    _, (turn,), _ = read([{"org": "o", "chats": [{"messages": {"data": said}, "runs": [run]}]}])
    assert (turn["response"], turn["knowledge"]) == (REPLY, [FACT])


def test_a_heading_in_capitals_stands_before_the_question():
    """Nothing else marks it."""
    text = f"EXCERPTS\n[1] {FACT}\n[2] {OTHER}\n\nQUESTION\nHow high is it?"
    parts = split_prompt(text, user=True)
    assert parts is not None
    assert [one["text"] for one in parts.passages] == [FACT, OTHER]
    assert parts.rest == "How high is it?"


def test_the_data_of_a_step_are_no_reply_and_scores_beside_documents_no_passages(read: Read):
    """A check of the question answers with JSON; the search gives pairs of a document and its score."""

    def observation(
        number: int, kind: str, parent: str | None, output: object
    ) -> dict[str, object]:
        times = {"startTime": f"2026-03-02T09:00:0{number}Z", "endTime": "2026-03-02T09:00:09Z"}
        own = {"id": f"o{number}", "traceId": "t", "type": kind, "parentObservationId": parent}
        return {
            **own,
            **times,
            "name": f"step {number}",
            "input": {"question": "Why?"},
            "output": output,
        }

    found = [[{"page_content": FACT, "metadata": {}}, 0.87], [{"page_content": OTHER}, 0.61]]
    check = {"role": "assistant", "content": '{"verdict": "allow"}'}
    rows = [
        observation(0, "SPAN", None, {"answer": REPLY}),
        observation(1, "GENERATION", "o0", check),
        observation(2, "RETRIEVER", "o0", found),
    ]
    _, (turn,), _ = read(rows)
    assert (turn["response"], turn["knowledge"]) == (REPLY, [FACT, OTHER])
    _, turns, _ = read([observation(0, "SPAN", None, None), *rows[1:]])
    assert turns == []


def test_the_text_of_an_attached_file_stays_for_later_replies():
    """It stands in an address, or beside its name."""
    packed = base64.b64encode(FACT.encode()).decode()
    files = (
        {"type": "file", "url": f"data:text/plain;base64,{packed}", "filename": "a.txt"},
        {"type": "data-attachment", "data": {"name": "a.txt", "text": FACT}},
    )
    for file in files:
        said = [
            {"role": "user", "parts": [file, {"type": "text", "text": "How high is it?"}]},
            {"role": "assistant", "parts": [{"type": "text", "text": REPLY}]},
            {"role": "user", "parts": [{"type": "text", "text": "Thanks."}]},
            {"role": "assistant", "parts": [{"type": "text", "text": "Gladly."}]},
        ]
        replies = replies_in(read_messages(said), Overrides({}))
        assert [one.knowledge[0]["text"] for one in replies] == [FACT, FACT]
    image = {"type": "file", "url": "data:image/png;base64,AAAA"}
    assert read_messages([{"role": "user", "parts": [image]}])[0].passages == ()


def test_results_of_functions_of_semantic_kernel_are_knowledge(read: Read):
    """It writes the kind of a part as ``$type``, and the fields in capitals."""
    result = {"$type": "FunctionResultContent", "FunctionName": "Search", "Result": f'["{FACT}"]'}
    call = {"$type": "FunctionCallContent", "FunctionName": "Search"}
    said = [
        {"role": "user", "content": "How high is it?"},
        {"role": "assistant", "content": [call]},
        {"role": "tool", "content": [result]},
        {"role": "assistant", "content": REPLY},
    ]
    _, (turn,), _ = read([{"messages": said}])
    assert (turn["response"], turn["knowledge"]) == (REPLY, [FACT])


def test_an_element_has_one_form_wherever_it_stands():
    """A greeting has no attributes, which other replies have."""
    told = f"<log><turn><said>Hello.</said></turn><turn><said model='m'>{REPLY}</said></turn></log>"
    greeting, reply = (one["said"] for one in (from_xml(told) or {})["log"]["turn"])
    assert [one["text"] for one in (*greeting, *reply)] == ["Hello.", REPLY]


def test_spans_and_lists_of_candidates_are_no_requests_and_responses(read: Read):
    """A trace has both as the input and output of a span, and a search may call its hits candidates."""
    said = [{"role": "user", "content": "How high is it?"}]
    reply = {"choices": [{"message": {"role": "assistant", "content": REPLY}}]}
    span = {"id": "o1", "traceId": "t", "type": "GENERATION", "parentObservationId": None}
    times = {"startTime": "2026-03-02T09:00:01Z", "endTime": "2026-03-02T09:00:09Z"}
    found = {
        **span,
        "id": "o2",
        "type": "RETRIEVER",
        "parentObservationId": "o1",
        "output": [{"text": FACT}],
    }
    call = {**span, **times, "name": "chat", "input": {"messages": said}, "output": reply}
    name, (turn,), _ = read([call, {**times, **found, "name": "search", "input": "high"}])
    assert name == "jsonl+langfuse"
    assert (turn["response"], turn["knowledge"]) == (REPLY, [FACT])
    hits = {"candidates": [{"text": FACT, "score": 0.5}]}
    row = {"answer": REPLY, "search": hits, "prompt": {"messages": said}}
    assert taken_off(row) == row


def test_a_responses_object_is_a_response_under_any_name_also_as_a_text():
    """It says itself what it is; its request has messages as its input."""
    asked = {"model": "m", "input": [{"role": "user", "content": "Open?"}]}
    told = {"object": "response", "output": [{"type": "message", "content": REPLY}]}
    for req, res in ((asked, told), (json.dumps(asked), json.dumps(told))):
        assert taken_off({"n": 1, "req": req, "res": res}) == {
            "n": 1, "request": req, "response": res
        }  # fmt: skip


def test_a_reply_in_json_that_says_something_is_a_reply_also_below_a_root(read: Read):
    """Models that answer in a schema do so."""
    told = json.dumps({"answer": REPLY, "sources": [1]})
    common = {
        "traceId": "t",
        "startTime": "2026-03-02T09:00:01Z",
        "endTime": "2026-03-02T09:00:09Z",
    }
    rows = [
        {**common, "id": "o0", "type": "SPAN", "name": "request", "parentObservationId": None},
        {**common, "id": "o1", "type": "RETRIEVER", "name": "search", "parentObservationId": "o0",
         "output": [{"text": FACT}]},
        {**common, "id": "o2", "type": "GENERATION", "name": "answer", "parentObservationId": "o0",
         "input": [{"role": "user", "content": "How high?"}],
         "output": {"role": "assistant", "content": told}},
    ]  # fmt: skip
    _, (turn,), _ = read(rows)
    assert (turn["response"], turn["knowledge"]) == (told, [FACT])


def test_a_question_of_an_faq_does_not_end_the_passages():
    """It stands in capitals above its answer."""
    faq = f"QUESTION\nHow high is it?\nANSWER\n{FACT}"
    parts = split_prompt(f"Context:\n{faq}\n\nQuestion: How old is it?", user=True)
    assert parts is not None
    assert FACT in parts.passages[0]["text"]
    assert parts.rest == "How old is it?"


def test_files_of_the_assistant_and_captions_of_pictures_are_no_knowledge():
    """Only what a user attached is, and no name of a file."""
    made = {"type": "file", "url": "data:text/plain,It%20is%20made.", "filename": "a.txt"}
    assert read_messages([{"role": "assistant", "parts": [made]}])[0].passages == ()
    picture = {"type": "attachment", "url": "https://a.example/b.png", "text": "A picture of it."}
    named = {"type": "attachment", "text": "returns.pdf"}
    for part in (picture, named):
        assert read_messages([{"role": "user", "parts": [part]}])[0].passages == ()
