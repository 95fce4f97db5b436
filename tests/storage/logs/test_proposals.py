"""A proposal for a log of an unknown program gives its replies, or there is none."""

import json

import pytest

from qsquared.storage.logs.surveys.doubts import doubts
from qsquared.storage.logs.surveys.proposals import propose
from qsquared.storage.logs.surveys.survey import survey_log

FACTS = (
    ("May I return a parcel?", "You may return a parcel within 30 days if the seal is whole.",
     "Parcels may be returned within 30 days of delivery. The seal must be whole."),
    ("When is my money back?", "A refund reaches your account within five working days.",
     "Refunds reach the account within five working days after the parcel has arrived."),
    ("What does shipping cost?", "Standard shipping costs 4.90 euros and takes a day.",
     "Standard shipping costs 4.90 euros, express 9.90 euros. It takes a day."),
    ("Is there a shop?", "Our shop in Bonn opens at ten every morning.",
     "The shop in Bonn opens at ten every morning but Sunday."),
    ("Can I pay by invoice?", "Invoices are possible from your second order on.",
     "Invoices are sent from the second order on; before that pay by card."),
)  # fmt: skip
COURTESY = (
    "I hope that this helps; colleagues of mine are happy to explain anything further to you."
)
TITLES = ("Returns of parcels", "Refunds", "Shipping costs", "Shop in Bonn", "Paying by invoice")


def hits(number, **more):
    """Return the passages that a search found for a question: its own article and the next one."""
    places = (number, (number + 1) % len(FACTS))
    return [
        {"nr": 10 * number + place, "score": 0.5, "body": FACTS[place][2]}
        | {name: texts[place] for name, texts in more.items()}
        for place in places
    ]


def talk(question, reply):
    """A question and its reply as two messages."""
    return [{"who": "human", "said": question}, {"who": "bot", "said": reply}]


def test_titles_are_no_replies(turns):
    """The articles of a search are no turns, though each has a title and a text that repeats it."""
    rows = [
        {"talk": talk(q, r), "search": {"hits": hits(n, title=TITLES)}}
        for n, (q, r, _) in enumerate(FACTS)
    ]
    assert turns(rows) == [
        (q, r, *(hit["body"] for hit in hits(n))) for n, (q, r, _) in enumerate(FACTS)
    ]


def test_articles_with_their_gists_are_no_turns_where_longer_texts_rest_on_them(turns):
    """The replies lie elsewhere in the log, and repeat more of the articles."""
    gists = (
        "How long parcels may be returned.",
        "When refunds reach your account.",
        "What the standard shipping costs.",
        "Where our shop in Bonn is.",
        "Who may order by invoices.",
    )
    rows = [{"talk": talk(q, r), "hits": hits(n, gist=gists)} for n, (q, r, _) in enumerate(FACTS)]
    assert turns(rows) == []
    alone = [{"hits": row["hits"]} for row in rows]
    assert len(turns(alone)) == 2 * len(FACTS)


@pytest.mark.parametrize(("asked", "doubtful"), [((), True), (("Where is the shop?",), False)])
def test_replies_are_no_titles_unless_they_answer_questions(asked, doubtful):
    """A turn without a question whose reply is a title is misread; an answer may be as short."""
    read = [
        {"response": title, "knowledge": [fact], "history": list(asked)}
        for title, (_, _, fact) in zip(TITLES, FACTS, strict=True)
    ]
    assert bool(doubts(read)) == doubtful


@pytest.mark.parametrize(
    ("reply", "doubtful"), [("1880", False), ("Yes.", False), ("r-1880-b", True)]
)
def test_a_word_of_the_knowledge_answers_a_question(reply, doubtful):
    """Short answers of a data set are replies, and ids are none."""
    turn = {
        "response": reply,
        "knowledge": ["The mill was built in 1880 by two brothers from the village."],
        "history": ["When was the mill built?"],
    }
    assert bool(doubts([turn] * 6)) == doubtful


@pytest.mark.parametrize(
    ("row", "doubtful"),
    [
        ({"response": "d7-77a"}, True),
        ({"response": "2026-03-01T10:00:00Z"}, True),
        ({"response": "2.1.0"}, True),
        ({"response": "OPEN"}, True),
        ({"response": FACTS[0][0]}, False),
        ({"response": FACTS[0][2]}, False),
        ({"response": FACTS[0][1], "history": [FACTS[0][1]]}, True),
        ({"response": FACTS[0][1], "knowledge": ["Returns policy", "Fees"]}, True),
        ({"response": FACTS[0][1]}, False),
        ({"response": "30"}, False),
        ({"response": "whole", "knowledge": ["The seal is whole"]}, False),
        ({"response": "return a parcel"}, False),
    ],
)
def test_a_log_with_fields_of_our_names_is_read_doubtfully_as_others_are(surveyed, row, doubtful):
    """Ids, times and states are no replies, whatever their field is called; questions and passages may be."""
    rows = [{"knowledge": [FACTS[0][2]], **row}] * 6
    assert bool(surveyed(rows).doubt) == doubtful
    assert not surveyed(rows[:2]).doubt


def test_a_list_in_which_somebody_asks_is_no_knowledge(turns):
    """The messages of a conversation are none of the knowledge of a text beside them."""
    rows = [
        {"asked_for": f"{title} and all that belongs to them", "messages": [{"said": q}, {"said": fact}, {"said": r}]}
        for title, (q, r, fact) in zip(TITLES, FACTS, strict=True)
    ]  # fmt: skip
    assert turns(rows) == []


def test_a_text_that_is_the_same_in_all_rows_is_no_question(turns):
    """A heading that asks stands beside each reply; what somebody asked differs."""
    rows = [
        {"id": f"r{n}", "text_in": q, "out": [{"text": r, "heading": "How do we know?", "hits": hits(n)}]}
        for n, (q, r, _) in enumerate(FACTS)
    ]  # fmt: skip
    assert [turn[0] for turn in turns(rows)] == [q for q, _, _ in FACTS]


def event(kind, text="", **more):
    """An event of a conversation's stream."""
    return {"kind": kind, **({"text": text} if text else {}), **more}


def test_an_earlier_event_that_holds_the_reply_is_no_knowledge(turns):
    """A search that keeps what the model made of it says nothing by this."""
    rows = [
        {"events": [
            event("asked", q), event("note", "Searching the articles …"),
            event("search", hits=hits(n), made=r), event("said", r),
        ]}
        for n, (q, r, _) in enumerate(FACTS)
    ]  # fmt: skip
    assert turns(rows) == [
        (q, r, *(hit["body"] for hit in hits(n))) for n, (q, r, _) in enumerate(FACTS)
    ]


def test_a_summary_that_repeats_what_a_tool_found_is_nobodys_reply(turns):
    """Who only calls tools and repeats their results is no bot; who answers with other words is."""
    rows = [
        {"messages": [
            {"source": "customer", "content": q},
            {"source": "researcher", "content": [{"arguments": title, "name": "search"}]},
            {"source": "researcher", "content": [{"content": fact, "name": "search"}]},
            {"source": "researcher", "content": fact},
            {"source": "answerer", "content": r},
        ]}
        for title, (q, r, fact) in zip(TITLES, FACTS, strict=True)
    ]  # fmt: skip
    assert turns(rows) == list(FACTS)


def test_a_prompt_that_is_always_the_same_is_not_what_somebody_asks(surveyed):
    """Nobody asks it, though it stands among the messages before each reply."""
    rows = [
        {"talk": [
            {"who": "setup", "said": "You help the customers of a shop. Search before you answer."},
            {"who": "human", "said": q}, {"who": "search", "found": [{"body": fact}]}, {"who": "bot", "said": r},
        ]}
        for q, r, fact in FACTS
    ]  # fmt: skip
    proposed, _ = propose(surveyed(rows))
    assert proposed is not None
    assert [turn["history"] for turn in proposed.turns] == [[q] for q, _, _ in FACTS]


def test_passages_in_another_list_than_the_replies_are_none_of_these(surveyed):
    """Nothing says which passage belongs to which reply; the message asks for them beside the replies."""
    said = [message for q, r, _ in FACTS for message in talk(q, r)]
    tables = {"said": said, "articles": [{"nr": n, "body": fact} for n, (*_, fact) in enumerate(FACTS)]}  # fmt: skip
    proposed, lacks = propose(surveyed([tables]))
    assert proposed is None
    assert lacks.startswith("No field beside the replies holds texts")
    del tables["articles"]
    assert propose(surveyed([tables])) == (None, lacks)


def test_values_in_a_list_of_keys_are_fields_by_their_keys(turns):
    """Each has its value under the name of a type."""
    rows = [
        {"params": [
            {"key": "asked", "value": {"string_value": q, "int_value": None}},
            {"key": "took", "value": {"int_value": "12"}},
            {"key": "said", "value": {"string_value": r}},
        ], "hits": hits(n)}
        for n, (q, r, _) in enumerate(FACTS)
    ]  # fmt: skip
    assert turns(rows) == [
        (q, r, *(hit["body"] for hit in hits(n))) for n, (q, r, _) in enumerate(FACTS)
    ]


def test_objects_at_the_ends_of_a_servers_lines_are_rows(tmp_path):
    """Its other lines are rejects."""
    log = tmp_path / "access of today.log"
    log.write_text(
        "".join(
            f'10.4.22.36 - - "GET /healthz" 200\n10.4.102.15{n} - - "POST /ask" 200 '
            f"{json.dumps({'asked': q, 'said': r, 'hits': hits(n)})}\n"
            for n, (q, r, _) in enumerate(FACTS)
        )
    )
    proposed, _ = propose(survey_log(log, {}))
    assert [turn["response"] for turn in proposed.turns] == [reply for _, reply, _ in FACTS]


def test_what_users_type_without_full_stops_is_no_reply_that_rests_on_an_answer(turns):
    """Beside an answer and ids of passages alone, of which no text is logged."""
    typed = (
        "May I return a parcel after 30 days?",
        "refund on my account in working days",
        "standard shipping cost in euros",
        "shop in bonn opens every morning",
        "invoices possible from which order",
    )
    rows = [
        {"q": asked, "a": said, "hits": [{"chunk": f"terms#{number}"}]}
        for number, (asked, (_, said, _)) in enumerate(zip(typed, FACTS, strict=True))
    ]
    assert turns(rows) == []


def test_what_an_agent_thinks_is_no_reply_beside_the_answer(turns):
    """Thoughts stand in a list of steps and rest on what was found, too; the answer is said once."""
    rows = [
        {"query": q, "result": f"{r} {COURTESY}", "hits": hits(n)[:1], "steps": [{"note": f"I say that {fact[5:60]}."}]}
        for n, (q, r, fact) in enumerate(FACTS)
    ]  # fmt: skip
    assert [turn[:2] for turn in turns(rows)] == [(q, f"{r} {COURTESY}") for q, r, _ in FACTS]


def test_a_text_that_shares_hardly_a_word_with_what_was_found_is_no_reply(turns):
    """Plans of an agent name the subject alone."""
    subjects = ("deliver", "account", "standard", "morning", "order")
    rows = [
        {"query": q, "response": {"plan": f"The user wants something, so {t} {COURTESY}"}, "hits": hits(n)}
        for n, ((q, _, _), t) in enumerate(zip(FACTS, subjects, strict=True))
    ]  # fmt: skip
    assert turns(rows) == []


def test_quotations_of_a_reply_are_not_the_replies(turns):
    """Each marks a part of the reply that rests on a passage; what was said before is in messages."""
    rows = [
        {
            "sent": {"messages": [{"role": "user", "content": q}], "documents": hits(n)},
            "said": [{"text": f"{r} {COURTESY}"}],
            "marks": [{"text": r[4:-4], "hits": hits(n)[:1]}],
        }
        for n, (q, r, _) in enumerate(FACTS)
    ]
    assert turns(rows) == [
        (q, f"{r} {COURTESY}", *(hit["body"] for hit in hits(n)))
        for n, (q, r, _) in enumerate(FACTS)
    ]


def test_the_last_of_the_questions_of_a_session_is_that_of_its_row(turns):
    """A search query made of it, and questions that a program suggests, are not what somebody asked."""
    asked = [q for q, _, _ in FACTS]
    rows = [
        {
            "session": [{"asked": q} for q in asked[: n + 1]],
            "query": f"{q[:-1]} company policy",
            "suggested": asked[n - 2 : n] or asked[3:],
            "answer": r,
            "hits": hits(n),
        }
        for n, (q, r, _) in enumerate(FACTS)
    ]
    assert [turn[:2] for turn in turns(rows)] == [(q, r) for q, r, _ in FACTS]


def test_replies_may_now_and_then_be_a_whole_passage(turns):
    """One that quotes its passage does not hide the others."""
    rows = [
        {"query": q, "answer": fact if n == 0 else r, "hits": [{"body": fact}]}
        for n, (q, r, fact) in enumerate(FACTS)
    ]
    assert len(turns(rows)) == len(FACTS)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (lambda n: {"titles": [TITLES[n], "Fees and costs"]}, "only titles (titles[])"),
        (lambda n: {"last": FACTS[n - 1][1] if n else ""}, "log with each reply what was retrieved for it"),
        (lambda n: {"a": None, "tries": [{"t": f"Well. {FACTS[n][1]}", "p": 2}, {"t": FACTS[n][1], "p": 1}],
                    "src": [FACTS[n][2], "Ask us for more of it, please."]}, "holds several replies (tries[].t)"),
        (lambda n: {"a": FACTS[n][2].split()[0], "src": FACTS[n][2]}, "Only words (a) could be replies that rest"),
    ],
)  # fmt: skip
def test_the_reason_why_nothing_is_proposed_is_true(surveyed, row, told):
    """Of replies without knowledge the knowledge lacks, and of others it is said what stands in their place."""
    rows = [{"q": question, "a": reply} | row(n) for n, (question, reply, _) in enumerate(FACTS)]
    proposed, lacks = propose(surveyed(rows))
    assert proposed is None
    assert told in lacks
