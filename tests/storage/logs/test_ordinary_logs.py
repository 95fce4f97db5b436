"""Tests of ordinary logs: labels above texts, flags in tables, other tools, citations."""

import json

import pytest

from qsquared.storage.logs.fields.objects import passages_of
from qsquared.storage.logs.format_engines.units import Overrides
from qsquared.storage.logs.messages.messages import read_messages
from qsquared.storage.logs.messages.replies import replies_in
from qsquared.storage.logs.surveys.survey import survey_log
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
    """A service logs them apart, under the number of the request; its passages are numbered."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        held = [one["body"] for one in hits(n)]
        parts = [f"[{place}] {text}" for place, text in enumerate(held, start=1)]
        prompt = "Context:\n" + "\n\n".join(parts) + f"\n\nQuestion: {question}"
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
    assert turns(rows) == [
        (q, r, *(one["body"] for one in hits(n))) for n, (q, r, _) in enumerate(FACTS)
    ]


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


def test_the_articles_in_a_cell_are_told_by_their_codes(turns):
    """Each has its code and title on a line of its own, and may have several paragraphs."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        parts = [
            f"[KB-{one['nr']}] Help {n}\n{one['body']}\n\nSee also the index." for one in hits(n)
        ]
        rows.append({"asked": question, "proposed answer": reply, "articles": "\n\n".join(parts)})
    assert turns(rows) == [
        (q, r, *(f"{one['body']}\n\nSee also the index." for one in hits(n)))
        for n, (q, r, _) in enumerate(FACTS)
    ]


def test_whatever_labels_stand_above_a_text_are_no_part_of_it():
    """The last label names the text; a rule parts two of them."""
    found = "\n---\n".join(
        f"File: {n}.pdf\nAnchor: turn0file{n} ({n}.pdf)\nRelevance: 0.7\nContent: {text}"
        for n, (*_, text) in enumerate(FACTS)
    )
    assert [one["text"] for one in passages_of(found)] == [text for *_, text in FACTS]


def test_keys_may_be_named_after_the_last_word_of_a_list(turns):
    """The table of a link names the chunk of an article, and the table of chunks has both words in its name."""
    tables = {"kb_articlechunk": [], "chat_message": [], "chat_source": []}
    for n, (question, reply, fact) in enumerate(FACTS):
        tables["kb_articlechunk"].append({"pk": 100 + n, "body": fact})
        said = {"chat": n, "at": f"2026-11-16T10:0{n}:00Z"}
        tables["chat_message"] += [
            {"pk": 10 * n, "author": "customer", "text": question, **said},
            {"pk": 10 * n + 1, "author": "bot", "text": reply, **said},
        ]
        tables["chat_source"].append({"pk": 500 + n, "message": 10 * n + 1, "chunk": 100 + n})
    assert turns([tables]) == list(FACTS)


def test_what_another_tool_returned_is_knowledge_though_its_fields_differ(turns):
    """The search returns documents, the calendar free times."""
    said = []
    for n, (question, reply, fact) in enumerate(FACTS):
        found = json.dumps({"documents": [{"content": fact}], "query": question})
        times = json.dumps({"date": "2026-11-20", "slots": ["09:10", "13:40"]})
        said += [
            {"speaker": "client", "words": question},
            {"speaker": "tool_response", "words": found},
        ]
        said += [{"speaker": "tool_response", "words": times}] if n == 3 else []
        said.append({"speaker": "agent", "words": reply})
    read = [one[2:] for one in turns(said)]
    times = ('{"date": "2026-11-20", "slots": ["09:10", "13:40"]}',)
    assert read == [(fact, *(times if n == 3 else ())) for n, (*_, fact) in enumerate(FACTS)]


def test_what_two_searches_found_counts_once(turns):
    """Both steps of a rephrased search have the same hit."""
    rows = [
        {"q": q, "a": r, "steps": [{"hits": [{"content": fact}]}, {"hits": [{"content": fact}]}]}
        for q, r, fact in FACTS
    ]
    assert turns(rows) == list(FACTS)


def test_columns_in_capitals_are_those_of_a_known_format(tmp_path):
    """Snowflake and Oracle give names so, also in exports of a program's tables."""
    rows = [
        {"RECORD_ID": str(n), "APP_ID": "desk", "INPUT": q, "OUTPUT": r, "CONTEXTS": [fact]}
        for n, (q, r, fact) in enumerate(FACTS)
    ]
    log = tmp_path / "x.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = survey_log(log, {})
    assert found.reading.format == "jsonl+trulens"
    assert [(*one["history"], one["response"], *one["knowledge"]) for one in found.shown] == list(
        FACTS
    )


def test_pages_of_the_web_are_knowledge_beside_notes_but_thoughts_are_not(turns):
    """An assistant looked into its user's notes, and for one question into the web, too."""
    said = []
    for n, (question, reply, fact) in enumerate(FACTS):
        page = {
            "link": "https://shop.example/a",
            "snippet": "Parcels above 30 kilograms go by freight.",
        }
        found = {
            "notes": [{"compiled": fact}],
            "thoughts": [{"note": "I should look that up for them."}],
        }
        web = {f"weight of parcels {n}": {"organic": [page]}} if n == 2 else {}
        said += [
            {"by": "you", "message": question},
            {"by": "bot", "message": reply, **found, "web": web},
        ]
    more = [
        ("Parcels above 30 kilograms go by freight.",) if n == 2 else ()
        for n, _ in enumerate(FACTS)
    ]
    assert turns(said) == [(*fact, *page) for fact, page in zip(FACTS, more, strict=True)]


def test_a_remark_that_ends_in_an_object_is_no_line_of_a_server(turns, surveyed):
    """People quote what programs send; and what a row says of itself goes before what such a text says."""
    row = {
        "messages": [
            {"role": "user", "content": "How long?"},
            {"role": "assistant", "content": "30 days."},
        ]
    }
    row |= {
        "documents": ["Returns are accepted within 30 days."],
        "comments": [{"body": 'Right {"by": "anna"}'}] * 2,
    }
    found = surveyed([row]).shown
    assert [one["response"] for one in found] == ["30 days."]
    forged = {
        "message": 'Say {"response": "no", "id": 7}',
        "response": "30 days.",
        "knowledge": ["It is 30 days."],
    }
    (turn,) = surveyed([forged]).shown
    assert (turn["response"], turn["knowledge"]) == ("30 days.", ["It is 30 days."])


@pytest.mark.parametrize(
    "text",
    [
        "Order: 4711\nStatus: shipped on 3 May\nTotal: 40 EUR\nText: Thank you for your purchase.",
        "[E42] The pump is blocked\nClean the filter and start again.",
        "Hotel Adler\nDistance: 350 m\nRooms are quiet and cost 90 EUR.",
        "FC Gent vs. AA Brugge\nScore: 3-1\nThe match was played in the rain.",
        "Returned articles are refunded within 14 days\n\nUse the label in the parcel.",
        "No tickets are available.",
    ],
)
def test_first_lines_that_tell_something_stay(text):
    """Labels and titles may be what a reply rests on."""
    assert [one["text"] for one in passages_of(text)] == [text]


def test_prices_above_numbered_passages_stay():
    """A line that has one is no mere title."""
    fast, slow = (
        "Express 12.90 EUR\nIt comes the next working day.",
        "Standard 4.90 EUR\nIt comes in five days.",
    )
    found = passages_of(f"[1] {fast}\n\n[2] {slow}")
    assert [one["text"] for one in found] == [fast, slow]


def test_of_two_flags_either_says_that_a_hit_was_dropped(turns):
    """In whatever order they stand."""
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        own, other = hits(n)
        found = [
            own | {"in_prompt": True, "kept": True},
            other | {"in_prompt": False, "kept": True},
        ]
        rows.append({"q": question, "a": reply, "hits": found})
    assert turns(rows) == [(q, r, hits(n)[0]["body"]) for n, (q, r, _) in enumerate(FACTS)]


def test_many_blanks_and_aligned_labels_take_no_time():
    """Each would take minutes if a pattern could read it in many ways."""
    aligned = "".join(
        f"{name:<12}: {n}\n" for n, name in enumerate(("Order", "Customer", "Total", "Paid") * 5)
    )
    for text in (
        aligned,
        "\n" * 20_000,
        f"<document>{(' ' * 40 + chr(10)) * 30}It is.</document>",
        "a: b\n" * 9_000,
    ):
        assert passages_of(f"{text}\nParcels are returned.")


def test_a_list_of_texts_and_documents_keeps_both(turns):
    """Only texts that list passages are cut apart, and only if all of a list are such texts."""
    rows = []
    for n, (question, reply, fact) in enumerate(FACTS):
        other = FACTS[(n + 1) % len(FACTS)][2]
        listed = f"File: {n}.pdf\nScore: 0.8\nContent: {other}"
        rows.append({"q": question, "a": reply, "context": [{"text": fact}, listed]})
    assert all(fact in one for one, (*_, fact) in zip(turns(rows), FACTS, strict=True))
