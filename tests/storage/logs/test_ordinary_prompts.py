"""Tests of prompts and servers' lines in ordinary logs, which hold passages among other texts."""

import json

import pytest

from qsquared.storage.logs.prompts.prompt_parts import split_prompt
from qsquared.storage.logs.surveys.proposals import propose
from qsquared.storage.logs.surveys.survey import survey_log
from tests.storage.logs.test_proposals import FACTS


def test_a_short_prompt_without_passages_is_one_among_prompts(turns):
    """A greeting is answered without a search, by a prompt of its own."""
    rows = [
        {
            "asked": question,
            "prompt": "Use the following pieces of context to answer the question at the end. If you "
            f"do not know the answer, say so.\n\n{fact}\n\nQuestion: {question}\nHelpful Answer:",
            "response": reply,
        }
        for question, reply, fact in FACTS
    ]
    greeting = {
        "asked": "hello",
        "prompt": "Be kind.\n\nhello",
        "response": "Hello! How may I help?",
    }
    read = [one[1:] for one in turns([*rows, greeting])]
    assert read == [*(fact[1:] for fact in FACTS), ("Hello! How may I help?",)]


def test_prompts_for_other_purposes_follow_another_template(turns):
    """A service has its model name each chat, too."""
    rows = []
    for n, (question, reply, fact) in enumerate(FACTS):
        prompt = f"You help customers.\n[[ FACTS ]]\n{fact}\n[[ ASKED ]]\n{question}\n[[ SAY ]]"
        rows.append({"purpose": "answer", "sent": prompt, "got": reply})
        title = {
            "purpose": "title",
            "sent": f"Name this chat in three words: {question}",
            "got": f"Chat {n}",
        }
        rows += [title] if n % 2 else []
    known = [one[-2:] for one in turns(rows) if len(one) > 2]
    assert known == [(r, fact) for _, r, fact in FACTS]


@pytest.mark.parametrize(
    "prompt",
    [
        "Answer by the rules.\nRULES\n(mod-2.4) {0}\n(mod-4.1) {1}\nEND OF RULES\n\n{2}",
        "=== BEGIN HOUSE NOTES ===\n{0}\n\n{1}\n=== END HOUSE NOTES ===\n\n{2}",
        "Help.\n\n### Knowledge base\n# Parcels\n{0}\n-----\n# Refunds\n{1}\n\n### Customer\n{2}\n\n### Answer\n",
        "{2}\n\nContext information is below.\n-----\n### Parcels\n{0}\n\n### Refunds\n{1}\n-----\n\nAnswer the query.",
        '<document index="1" source="a">{0}</document>\n<document index="2" source="b">{1}</document>\n\nQuestion: {2}',
    ],
    ids=["end of rules", "begin and end", "larger headings", "between rules", "elements"],
)  # fmt: skip
def test_passages_are_told_from_what_a_prompt_has_around_them(prompt):
    """The user may ask without a question mark."""
    texts = [FACTS[0][2], FACTS[1][2]]
    found = split_prompt(prompt.format(*texts, "got it broken, what does that cost"), user=True)
    assert [one["text"] for one in found.passages] == texts


def test_the_lines_that_a_collector_holds_are_read_as_a_servers_log(tmp_path):
    """CloudWatch gives events with a line each; some of them are the server's own."""
    events = [{"timestamp": 1, "message": "START RequestId: a84e Version: 41\n"}]
    for n, (question, reply, fact) in enumerate(FACTS):
        held = json.dumps({"question": question, "answer": reply, "passages": [fact]})
        line = f"2026-11-16T10:0{n}:00Z\ta84e\tINFO\t{held}\n"
        events.append({"timestamp": n, "message": line, "eventId": str(n)})
    log = tmp_path / "x.json"
    log.write_text(json.dumps({"events": events, "searchedLogStreams": []}))
    found, _ = propose(survey_log(log, {}))
    assert [(*one["history"], one["response"], *one["knowledge"]) for one in found.turns] == list(
        FACTS
    )


def test_lines_of_a_trace_belong_together_as_spring_boot_writes_them(tmp_path):
    """The trace and the span stand in brackets, among the names of threads and classes."""
    lines = []
    for n, (question, reply, fact) in enumerate(FACTS):
        parts = (
            ("web.ChatController : asked", {"question": question, "channel": "web"}),
            ("rag.Retriever : found", {"took": 242, "hits": [{"text": fact, "score": 0.8}]}),
            ("llm.AnswerService : answered", {"answer": reply, "model": "m"}),
        )
        lines += [
            f"2026-11-16T08:1{n}:0{place} INFO 7 --- [desk] [exec-{n}] [{n:032x}-{place:016x}] {told} "
            f"{json.dumps(held)}"
            for place, (told, held) in enumerate(parts)
        ]
    log = tmp_path / "x.log"
    log.write_text("\n".join(lines))
    found, _ = propose(survey_log(log, {}))
    assert [(*one["history"], one["response"], *one["knowledge"]) for one in found.turns] == list(
        FACTS
    )
