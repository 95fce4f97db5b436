"""Tests of tables of a database that refer to each other, and of rows that repeat their turn."""

from qsquared.storage.logs.surveys.columns.described import Proposal
from qsquared.storage.logs.surveys.shapes.together import parts_of_turns
from tests.storage.logs.test_proposals import FACTS, hits

GREETING = "Ahoy! I am the guide of the museum."


def exchanges(first):
    """Questions with their replies as rows of a table, whose ids begin at a number."""
    return [{"id": first + n, "asked": q, "told": r} for n, (q, r, _) in enumerate(FACTS)]


def snippets(first):
    """Passages as rows of a table, of which some belong to nothing."""
    facts = [fact for *_, fact in FACTS]
    facts += [f"The {n}th note belongs to no reply at all." for n in range(9)]
    return [{"id": first + n, "body": fact} for n, fact in enumerate(facts)]


def test_a_table_between_two_others_joins_them_by_the_ids_of_both(turns):
    """Most passages of the knowledge base were found for nothing."""
    pairs = [
        {"exchange_id": 301 + n, "snippet_id": 11 + place, "rank": rank}
        for n, _ in enumerate(FACTS)
        for rank, place in enumerate((n, (n + 1) % len(FACTS)))
    ]
    rows = [{"exchanges": exchanges(301), "kb_snippets": snippets(11), "exchange_snippets": pairs}]
    assert turns(rows) == [
        (q, r, *(one["body"] for one in hits(n))) for n, (q, r, _) in enumerate(FACTS)
    ]


def test_the_numbers_of_rows_are_not_taken_for_references(turns):
    """Each table counts its rows from 1 on, and the passage of a row is named by another field."""
    said = [
        {"id": 2 * n + place, "chat_id": 1, "role": role, "content": text}
        for n, (q, r, _) in enumerate(FACTS)
        for place, (role, text) in enumerate((("user", q), ("assistant", r)), start=1)
    ]
    used = [
        {"id": n + 1, "message_id": 2 * n + 2, "source_chunk_id": len(FACTS) - n, "rank": 1}
        for n, _ in enumerate(FACTS)
    ]
    chunks = [{"id": n, "body": fact} for n, (*_, fact) in enumerate(reversed(FACTS), start=1)]
    rows = [{"messages": said, "chunk_usages": used, "source_chunks": chunks}]
    assert turns(rows) == list(FACTS)


def test_answers_and_finds_may_both_refer_to_a_question(turns):
    """Neither refers to the other."""
    asked = [{"request_id": n, "words": q} for n, (q, *_) in enumerate(FACTS, start=71)]
    told = [{"nr": 9 - n, "request_id": 71 + n, "said": r} for n, (_, r, _) in enumerate(FACTS)]
    found = [
        {"nr": 40 + n, "request_id": 71 + n, "extract": fact} for n, (*_, fact) in enumerate(FACTS)
    ]
    read = turns([{"requests": asked, "answers": told, "finds": found}])
    assert [one[-2:] for one in read] == [(r, fact) for _, r, fact in FACTS]


def test_rows_of_a_join_are_one_turn_each_also_where_nothing_was_found(turns):
    """A passage may stand twice in a turn, and two turns may say the same one after another."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        found = [*hits(n), hits(n)[1]] if n == 2 else hits(n)
        rows += [
            {"no": 7 + n, "q": question, "a": reply, "rank": rank, "hit": one["body"]}
            for rank, one in enumerate(found)
        ]
    for number in (20, 21):
        rows.append(
            {"no": number, "q": "hi", "a": "Hello, ask me something.", "rank": None, "hit": None}
        )
    expected = [(q, r, *(one["body"] for one in hits(n))) for n, (q, r, _) in enumerate(FACTS)]
    assert turns(rows) == [*expected, *[("hi", "Hello, ask me something.")] * 2]


def test_messages_of_a_table_are_told_apart_by_the_name_of_their_conversation(turns):
    """The same greeting in two conversations is said twice."""
    rows = []
    for n, (question, reply, fact) in enumerate(FACTS):
        rows += [
            {"sender": f"u_{n}f", "kind": "user", "text": "/start", "hits": None},
            {"sender": f"u_{n}f", "kind": "bot", "text": GREETING, "hits": None},
            {"sender": f"u_{n}f", "kind": "user", "text": question, "hits": None},
            {"sender": f"u_{n}f", "kind": "bot", "text": reply, "hits": [fact]},
        ]
    read = turns([{"events": rows}])
    assert [one for one in read if len(one) > 2] == list(FACTS)
    assert sum(one[1] == GREETING for one in read) == len(FACTS)


def test_rows_are_put_together_though_their_replies_stand_among_messages():
    """A call that lists what was found for each of its replies has no field of a reply."""
    described = {"engine": "messages", "fields": {"messages": ["talk"], "each": ["found[].body"]}}
    rows = [{"request": f"r-{n}", "found": [{"body": fact}]} for n, (*_, fact) in enumerate(FACTS)]
    rows += [{"request": f"r-{n}", "talk": [{"role": "user"}]} for n, _ in enumerate(FACTS)]
    (found,) = parts_of_turns("", rows, lambda *_: Proposal(described, 1.0))
    assert (found.described["unit"], found.described["group"]) == ("part", ["request"])
