"""Tests of ordinary logs: labels above texts, flags in tables, other tools, citations."""

import pytest

from qsquared.storage.logs.fields.objects import passages_of
from qsquared.storage.logs.format_engines.units import Overrides
from qsquared.storage.logs.messages.messages import read_messages
from qsquared.storage.logs.messages.replies import replies_in
from tests.storage.logs.test_proposals import FACTS, hits


@pytest.mark.parametrize(("kept", "dropped"), [("t", "f"), ("yes", "no"), ("1", "0")])
def test_flags_may_be_words_as_dumps_write_them(turns, kept, dropped):
    """PostgreSQL writes t and f, spreadsheets yes and no."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        own, other = hits(n)
        found = [own | {"sent_to_model": kept}, other | {"sent_to_model": dropped}]
        rows.append({"q": question, "a": reply, "hits": found})
    assert turns(rows) == [(q, r, hits(n)[0]["body"]) for n, (q, r, _) in enumerate(FACTS)]


def test_what_was_found_may_stand_under_what_was_searched_for(turns):
    """Each search has a phrase of its own, which is no name of a field."""
    rows = [
        {"q": q, "a": r, "web": {f"shop help: {q}": {"organic": [{"snippet": fact, "rank": 1}]}}}
        for q, r, fact in FACTS
    ]
    assert turns(rows) == list(FACTS)


def test_thoughts_among_the_parts_of_a_message_are_not_said(turns):
    """And the result of a tool that finds no documents is knowledge, too."""
    said = []
    for n, (question, reply, fact) in enumerate(FACTS):
        searched = {"type": "tool-search", "output": [{"content": fact}]}
        status = {"type": "tool-status", "output": "All systems are up."}
        thought = {"type": "reasoning", "text": f"I should look up: {question}"}
        parts = [thought, searched, *([status] if n == 1 else []), {"type": "text", "text": reply}]
        said += [
            {"role": "user", "parts": [{"type": "text", "text": question}], "chat": n},
            {"role": "assistant", "parts": parts, "chat": n},
        ]
    more = [("All systems are up.",) if n == 1 else () for n, _ in enumerate(FACTS)]
    read = turns([{"json_agg": said}])
    assert read == [(*fact, *status) for fact, status in zip(FACTS, more, strict=True)]


def test_documents_that_a_user_attached_stay_for_later_replies():
    """Each request to the model holds them again, while results of a search were those of one question."""
    document = {"type": "document", "source": {"type": "text", "data": FACTS[0][2]}}
    found = {
        "type": "search_result",
        "source": "a",
        "content": [{"type": "text", "text": FACTS[1][2]}],
    }
    said = [
        {"role": "user", "content": [document, {"type": "text", "text": FACTS[0][0]}]},
        {"role": "assistant", "content": FACTS[0][1]},
        {"role": "user", "content": [found, {"type": "text", "text": FACTS[1][0]}]},
        {"role": "assistant", "content": FACTS[1][1]},
        {"role": "user", "content": "Thanks."},
        {"role": "assistant", "content": "You are welcome."},
    ]
    known = [
        [one["text"] for one in reply.knowledge]
        for reply in replies_in(read_messages(said), Overrides({}))
    ]
    assert known == [[FACTS[0][2]], [FACTS[0][2], FACTS[1][2]], [FACTS[0][2]]]


def test_what_was_searched_for_is_no_reply_beside_one(turns):
    """It shares more words with what was found than the reply does; how much was found names nobody."""
    rows = [
        {
            "rewritten": " ".join(fact.split()[:6]),
            "said": r,
            "count": f"found: {n % 3}",
            "found": fact,
        }
        for n, (_, r, fact) in enumerate(FACTS)
    ]
    assert [one[-2:] for one in turns(rows)] == [(r, fact) for _, r, fact in FACTS]


def test_what_was_found_counts_and_not_what_is_cited_of_it(turns):
    """A reply cites the first of its passages only."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        found = [one["body"] for one in hits(n)]
        answer = {"text": reply, "citations": [{"quote": found[0]}]}
        rows.append(
            {"q": question, "answer": answer, "results": [{"snippet": one} for one in found]}
        )
    assert turns(rows) == [
        (q, r, *(one["body"] for one in hits(n))) for n, (q, r, _) in enumerate(FACTS)
    ]


def test_a_prompt_and_its_completion_may_stand_on_two_lines_of_a_request(turns):
    """A service logs them apart, under the number of the request; a line names each passage."""
    rows = []
    for n, (question, reply, fact) in enumerate(FACTS):
        prompt = f"Context:\n[1] Shop rules, part {n}\n{fact}\n\nQuestion: {question}"
        asked = [
            {"role": "system", "content": "Answer from the context."},
            {"role": "user", "content": prompt},
        ]
        said = {"role": "assistant", "content": reply}
        rows += [
            {"req": f"r-{n}", "event": "search", "q": question, "scores": [0.4, 0.6]},
            {"req": f"r-{n}", "event": "call", "messages": asked},
            {
                "req": f"r-{n}",
                "event": "done",
                "object": "chat.completion",
                "choices": [{"message": said}],
            },
        ]
    assert turns(rows) == list(FACTS)


@pytest.mark.parametrize("results", [1, 2])
def test_lines_about_a_result_are_no_part_of_its_passage(results):
    """A tool counts what it found, and names the source and score above each text."""
    texts = [fact for *_, fact in FACTS[:results]]
    found = "\n\n---\n\n".join(
        f"## {n}. Page {n}\nsource: https://shop.example/{n} | score: 0.8\n\n{text}"
        for n, text in enumerate(texts, start=1)
    )
    read = passages_of(f'Found {results} results for "parcels"\n\n{found}')
    assert [one["text"] for one in read] == texts
    assert [one["title"] for one in read] == ["Page 1", "Page 2"][:results]


@pytest.mark.parametrize(
    "result",
    [
        '{"order":"48812","carrier":"PostNord","event":"It left Malmö.","items":[{"sku":"H-5","qty":2}]}',
        '[{"date":"2026-03-21","task":"sorting","open":2},{"date":"2026-03-22","task":"driving","open":1}]',
    ],
)
def test_data_that_a_tool_returns_is_one_passage_as_it_is_written(result):
    """The items of an order are details of it, and no hits."""
    assert passages_of(result) == [{"text": result}]
