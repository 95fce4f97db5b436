"""Logs as teams write them themselves: prompts beside completions, flagged hits, rows of passages."""

import json

import pytest

from qsquared.storage.logs.surveys.doubts import doubts
from qsquared.storage.logs.surveys.proposals import propose
from qsquared.storage.logs.surveys.survey import survey_log
from tests.storage.logs.test_proposals import FACTS, hits

PERSONA = 'You are "Pip", the guide of a shop. '
TALLY = (57, 34, 26, 26, 61)
"""Tokens of replies, two of them equal by chance."""


def prompt(number, question):
    """A prompt with two passages under their files, and the conversation so far."""
    held = (FACTS[number][2], FACTS[(number + 1) % len(FACTS)][2])
    parts = "".join(f"-----\n[shop/page-{n}.md]\n{text}\n" for n, text in enumerate(held))
    asked = f"Conversation so far:\n\nVisitor: {question}\nPip:"
    return f"{PERSONA}Use ONLY the context.\n\nContext:\n{parts}-----\n\n{asked}"


def test_numbers_of_tokens_are_nobodys_names(turns):
    """That two counts are equal makes no speaker of them, and an edited reply is no knowledge."""
    rows = [
        {
            "completion": reply,
            "tokens": TALLY[n],
            "edited": reply.replace("You", "One") if n == 2 else "",
            "prompt": prompt(n, question),
        }
        for n, (question, reply, _) in enumerate(FACTS)
    ]
    assert [one[1] for one in turns(rows)] == [reply for _, reply, _ in FACTS]


def test_prompts_of_a_service_are_read_though_a_greeting_has_no_context(turns):
    """The level of a line tells queries from completions, but a prompt is more than its passages."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        rows += [
            {"event": "search", "level": "debug", "query": question},
            {"event": "llm", "level": "info", "prompt": prompt(n, question), "completion": reply},
        ]
    rows.append(
        {
            "event": "llm",
            "level": "info",
            "prompt": f"{PERSONA}Greet the visitor.\nVisitor: hi\nPip:",
            "completion": "Hello! Ask me anything about our shop.",
        }
    )
    found = [one[1:] for one in turns(rows)]
    assert found[:-1] == [
        (reply, FACTS[n][2], FACTS[(n + 1) % len(FACTS)][2])
        for n, (_, reply, _) in enumerate(FACTS)
    ]
    assert found[-1] == ("Hello! Ask me anything about our shop.",)


def test_the_last_sentence_of_a_message_is_no_knowledge_of_it(turns):
    """A program may log again what it says; its sources are those of the search."""
    said = []
    for n, (question, reply, _) in enumerate(FACTS):
        found = [{"document": [one["body"]], "distances": [0.2]} for one in hits(n)]
        last = {"spoken": reply.split(". ")[-1], "sources": found}
        said += [{"role": "user", "text": question}, {"role": "bot", "text": reply, **last}]
    assert turns(said) == [
        (q, r, *(one["body"] for one in hits(n))) for n, (q, r, _) in enumerate(FACTS)
    ]


@pytest.mark.parametrize(
    ("flag", "given"), [("kept", True), ("in_prompt", True), ("rejected", False)]
)
def test_hits_that_were_dropped_are_no_knowledge(turns, flag, given):
    """The flag of a hit tells whether the assistant saw it; another, such as of a language, tells nothing."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        kept, other = hits(n)
        found = [kept | {flag: given, "is_public": False}, other | {flag: not given}]
        rows.append({"q": question, "a": reply, "retrieved": {"hits": found}})
    assert turns(rows) == [(q, r, hits(n)[0]["body"]) for n, (q, r, _) in enumerate(FACTS)]


def test_calls_deep_in_the_lines_of_a_gateway_are_read(turns):
    """Some lines are of other calls, and have no messages."""
    rows = [{"ai": {"payload": {"request": '{"input": ["How long?"]}', "response": "{}"}}}]
    for question, reply, fact in FACTS:
        text = f"Use this.\n<CONTEXT>{fact}</CONTEXT>\nUser's question: {question}"
        request = {"messages": [{"role": "user", "content": text}], "model": "m"}
        response = {"choices": [{"message": {"role": "assistant", "content": reply}}]}
        payload = {"request": json.dumps(request), "response": json.dumps(response)}
        rows.append({"latency": 8, "ai": {"payload": payload}})
    assert turns(rows) == list(FACTS)


def test_rows_of_passages_below_the_only_row_with_the_answer_are_one_turn(turns):
    """The same query is answered twice; a run's number tells where the second answer begins."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        for run, said in enumerate((reply, f"Indeed: {reply}")):
            for place, hit in enumerate(hits(n)):
                row = {"query": question, "run": run, "place": place, "passage": hit["body"]}
                rows.append(row | {"answer": "" if place else said})
    assert turns(rows) == [
        (q, said, *(one["body"] for one in hits(n)))
        for n, (q, r, _) in enumerate(FACTS)
        for said in (r, f"Indeed: {r}")
    ]


def test_a_prompt_that_is_logged_twice_is_no_question_of_itself(turns):
    """Once it is as it was sent, once with names masked."""
    rows = [
        {"sent": one, "masked": one, "answer": reply}
        for n, (question, reply, _) in enumerate(FACTS)
        for one in [prompt(n, question)]
    ]
    assert [one[1] for one in turns(rows)] == [reply for _, reply, _ in FACTS]


def test_results_of_a_second_tool_are_knowledge_too(turns):
    """A workflow logs each tool under its own name."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        book = {"ai": [{"json": {"response": [{"text": one["body"]} for one in hits(n)]}}]}
        order = {"ai": [{"json": {"response": [{"text": f"Order {n} was sent."}]}}]}
        runs = {"Handbook": [{"data": book}], **({"Orders": [{"data": order}]} if n == 1 else {})}
        rows.append({"q": question, "a": reply, "result": {"runs": runs}})
    expected = [(q, r, *(one["body"] for one in hits(n))) for n, (q, r, _) in enumerate(FACTS)]
    expected[1] = (*expected[1], "Order 1 was sent.")
    assert turns(rows) == expected


@pytest.mark.parametrize(
    "columns",
    [
        ["asked", "said", "text"],
        [{"name": "asked", "type": "x"}, {"name": "said", "type": "x"}, {"name": "text", "type": "x"}],
        {
            "text": {"placeInOrder": 2, "code": 12},
            "asked": {"placeInOrder": 0, "code": 12},
            "said": {"placeInOrder": 1, "code": 3},
        },
    ],
    ids=["texts", "objects", "places"],
)  # fmt: skip
def test_arrays_beside_the_names_of_their_columns_are_rows(turns, columns):
    """An answer of a database's interface has each row as an array."""
    table = {"columns": columns, "done": True, "rows": [list(one) for one in FACTS]}
    assert turns([table]) == list(FACTS)


def test_a_line_that_a_server_always_writes_is_no_reply(turns):
    """Each request has its own, among the events that its trace joins; prompts may have line ends of Windows."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        said = prompt(n, question).replace("\n", "\r\n")
        rows += [
            {
                "trace": f"t{n}",
                "event": "begin",
                "start": "Request starting HTTP/1.1 POST http://a.local/chat.",
            },
            {"trace": f"t{n}", "event": "search", "query": question, "hits": 2},
            {"trace": f"t{n}", "event": "llm", "prompt": said, "completion": reply},
            {
                "trace": f"t{n}",
                "event": "end",
                "end": "Request finished HTTP/1.1 POST http://a.local/chat 200.",
            },
        ]
    assert [one[1] for one in turns(rows)] == [reply for _, reply, _ in FACTS]


def test_a_numbered_field_that_is_always_empty_is_not_named(surveyed):
    """The command names only fields that hold something, as it is refused otherwise."""
    rows = [{"q": q, "said": r, "text 1": fact, "text 2": ""} for q, r, fact in FACTS]
    proposed, _ = propose(surveyed(rows))
    assert proposed.mapping == {"q": "history", "said": "response", "text 1": "knowledge"}


def test_what_a_reranker_chose_is_given_and_all_that_was_found_where_there_is_no_choice(turns):
    """The search stands in another step of the same list."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        found = [{"text": one["body"]} for one in hits(n)]
        chosen = [{"reranked_results": found[:1]}] if n else []
        spans = [{"results": found}, *chosen, {"generation": reply}]
        rows.append({"q": {"text": question}, "spans": spans})
    given = [[one["body"] for one in hits(n)][: 1 if n else 2] for n in range(len(FACTS))]
    assert turns(rows) == [(q, r, *held) for (q, r, _), held in zip(FACTS, given, strict=True)]


def test_a_link_to_a_passage_may_say_that_it_was_left_out(turns):
    """Tables of a database: messages, texts, and which text was found for which message."""
    texts = [{"id": 100 + n, "body": fact} for n, (*_, fact) in enumerate(FACTS)]
    said, links = [], []
    for n, (question, reply, _) in enumerate(FACTS):
        said += [
            {"id": 2 * n, "talk": n, "role": "user", "content": question},
            {"id": 2 * n + 1, "talk": n, "role": "assistant", "content": reply},
        ]
        for place, kept in ((n, True), ((n + 1) % len(FACTS), False)):
            links.append({"message": 2 * n + 1, "chunk": 100 + place, "in_prompt": kept})
    assert turns([{"messages": said, "chunks": texts, "links": links}]) == list(FACTS)


def test_a_step_that_says_what_the_message_after_it_says_is_no_tool(turns):
    """A program may log the call of a model beside the message that it sends."""
    steps = []
    for n, (question, reply, _) in enumerate(FACTS):
        found = json.dumps([{"page_content": one["body"]} for one in hits(n)])
        for kind, text in (
            ("user_message", question),
            ("retrieval", found),
            ("llm", reply),
            ("assistant_message", reply),
        ):
            steps.append({"thread": "t", "type": kind, "output": text})  # fmt: skip
    assert turns(steps) == [
        (q, r, *(one["body"] for one in hits(n))) for n, (q, r, _) in enumerate(FACTS)
    ]


def test_what_was_searched_for_is_no_reply(surveyed):
    """It ends as no sentence does, and what was found for it does."""
    rows = [
        {"asked": q, "found": {"query": " ".join(r.split()[:6]), "hits": [{"text": fact}]}}
        for q, r, fact in FACTS
    ]
    assert propose(surveyed(rows))[0] is None


def test_texts_that_hold_all_that_was_found_are_doubtful():
    """A context that was joined is no reply to its parts."""
    turns = [
        {"response": " ".join(one["body"] for one in hits(n)), "history": [q],
         "knowledge": [one["body"] for one in hits(n)]}
        for n, (q, *_) in enumerate(FACTS)
    ]  # fmt: skip
    assert doubts(turns) == "the replies hold all of their knowledge"


def test_test_cases_and_conversations_of_one_run_are_both_read(tmp_path):
    """A conversation whose replies have passages of their own counts though a user has the last word."""
    (q, r, fact), (asked, said, known) = FACTS[:2]
    case = {"input": q, "actualOutput": r, "retrievalContext": [fact]}
    talk = [
        {"role": "user", "content": asked},
        {"role": "assistant", "content": said, "retrievalContext": [known]},
        {"role": "user", "content": "Thanks!"},
    ]
    run = {"testCases": [case], "conversationalTestCases": [{"turns": talk}]}
    log = tmp_path / "run.json"
    log.write_text(json.dumps({"testRunData": run, "testRunLink": None}, indent=1))
    found = survey_log(log, {})
    assert [(one["response"], one["knowledge"]) for one in found.first] == [
        (r, [fact]),
        (said, [known]),
    ]


def test_ids_that_are_named_after_another_list_lead_nowhere_else(turns):
    """Rows of each table are numbered from one, and a conversation's number is no document's."""
    tables = {
        "documents": [],
        "chunks": [],
        "messages": [],
        "message_chunks": [],
        "conversations": [],
    }
    for n, (question, reply, fact) in enumerate(FACTS, start=1):
        tables["documents"].append({"id": n, "filename": f"page_{n}.txt"})
        tables["chunks"].append({"id": 10 + n, "document_id": 1 + n % 3, "body": fact})
        tables["conversations"].append({"id": n, "kiosk": "k1"})
        for place, (who, text) in enumerate((("visitor", question), ("guide", reply))):
            said = {"id": 100 + 2 * n + place, "conversation_id": n, "sender": who, "body": text}
            tables["messages"].append(said)
        tables["message_chunks"].append({"message_id": 101 + 2 * n, "chunk_id": 10 + n})
    assert turns([tables]) == list(FACTS)


def test_pieces_of_a_message_that_begin_with_a_mark_are_joined_to_the_ones_before(turns):
    """A citation stands where the text was cut, and the text has no line break there."""
    said = []
    for question, reply, fact in FACTS:
        words = reply.removesuffix(".").split(" ")
        pieces = [{"text": " ".join(words)}, {"source": {"passages": [fact]}}, {"text": "."}]
        said.append({"author": "USER", "fragments": [{"text": question}]})
        said.append({"author": "BOT", "fragments": pieces})
    assert turns(said) == list(FACTS)


def test_the_draft_of_a_model_is_the_reply_and_not_what_a_person_sent(turns):
    """A support team keeps both in a table."""
    rows = [
        {"question": q, "AI draft": r, "source 1": fact, "reply that was sent": f"Dear customer, {r} Yours, Ana."}
        for q, r, fact in FACTS
    ]  # fmt: skip
    assert turns(rows) == list(FACTS)


def test_a_flag_of_dropped_hits_counts_whatever_their_texts_are_called(turns):
    """The path of a description leads to the texts alone."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        found = [
            {"texto": one["body"], "puntos": 3, "seleccionado": not place}
            for place, one in enumerate(hits(n))
        ]
        rows.append(
            {"consulta": question, "salida": {"respuesta": reply}, "busca": {"trozos": found}}
        )
    log = [{"hits": {"total": len(rows), "hits": [{"_source": row} for row in rows]}}]
    assert turns(log) == list(FACTS)


def test_numbered_texts_after_a_line_with_a_remark_are_passages(turns):
    """A framework gives a model what it remembers in a message of its own."""
    said = []
    for n, (question, reply, _) in enumerate(FACTS):
        held = "\n".join(
            f"{place}. {one['body']} It is written so in the handbook of the shop."
            for place, one in enumerate(hits(n), start=1)
        )
        said += [
            {"source": "user", "content": question, "type": "UserMessage"},
            {
                "content": f"\nRelevant memory content (in order):\n{held}\n",
                "type": "SystemMessage",
            },
            {"source": "clerk", "content": reply, "type": "AssistantMessage"},
        ]
    found = [one[2:] for one in turns(said)]
    assert found == [
        tuple(f"{one['body']} It is written so in the handbook of the shop." for one in hits(n))
        for n in range(len(FACTS))
    ]


def test_columns_beside_what_a_row_says_are_no_table_of_rows(turns):
    """A turn may log a table that its program found, with the names of its columns."""
    rows = [
        {"question": q, "answer": r, "context": fact, "columns": ["doc", "score"], "rows": [["a.md", 9]]}
        for q, r, fact in FACTS
    ]  # fmt: skip
    assert turns(rows) == list(FACTS)


def test_many_people_may_ask_once_each(turns):
    """The names of a channel's people are said once, and that of its bot again and again."""
    said = []
    for n, (question, reply, fact) in enumerate(FACTS):
        said.append({"author": f"person{n}", "text": question, "grounds": []})
        said.append({"author": "helpbot", "text": reply, "grounds": [fact]})
    assert turns(said) == list(FACTS)
