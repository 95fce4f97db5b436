"""Messages of an unknown program: lists of passages beside them, and trees of them."""

import json

import pytest

from tests.storage.logs.test_proposals import FACTS, TITLES, hits


def spoken(*numbers):
    """A conversation that begins with a greeting, and then asks and answers."""
    said = [{"role": "assistant", "content": "Hello! What may I do for you?"}]
    for n in numbers:
        said += [
            {"role": "user", "content": FACTS[n][0]},
            {"role": "assistant", "content": FACTS[n][1]},
        ]
    return said


@pytest.mark.parametrize("greeted", [[], [{"total": 0, "chunks": []}]])
def test_lists_of_passages_beside_the_messages_belong_to_the_replies_by_their_order(turns, greeted):
    """A greeting may have a list of its own, or none."""
    rows = [
        {"talk": spoken(a, b), "reference": [*greeted, *({"total": 2, "chunks": hits(n)} for n in (a, b))]}
        for a, b in ((0, 2), (3, 1), (4, 0))
    ]  # fmt: skip
    greeting = ("Hello! What may I do for you?",)
    asked = ((0, 2), (3, 1), (4, 0))
    assert turns(rows) == [
        turn
        for pair in asked
        for turn in (greeting, *((*FACTS[n][:2], *(hit["body"] for hit in hits(n))) for n in pair))
    ]


def test_lists_of_passages_that_are_fewer_than_the_replies_belong_to_none(turns):
    """Nothing says which reply has no passages."""
    rows = [{"talk": spoken(n, n - 1), "reference": [hits(n)]} for n in range(len(FACTS))]
    assert turns(rows) == []


def test_a_tree_of_messages_by_their_ids_is_read_along_each_branch(turns):
    """A reply that was made anew has the question before it, and not the reply that it replaces."""
    rows = []
    for first, second in ((0, 2), (3, 1), (4, 0)):
        nodes, above = {}, None
        for number in (first, second):
            question, reply, fact = FACTS[number]
            told = {"role": "me", "text": question}
            known = [{"body": fact}, {"body": FACTS[number - 1][2]}]
            again = {"role": "it", "text": "I cannot say that, please ask a colleague of mine."}
            for name, more in (
                ("q", told),
                ("x", again),
                ("r", {"role": "it", "text": reply, "found": known}),
            ):
                own = f"{name}{first}{number}"
                nodes[own] = {
                    "id": own,
                    "above": above if name == "q" else f"q{first}{number}",
                    **more,
                }
            above = f"r{first}{number}"
        linear = [one for one in nodes.values() if not one["id"].startswith("x")]
        rows.append(
            {"name": f"Questions about {TITLES[first]}", "talk": {"nodes": nodes, "shown": linear}}
        )
    read = turns(rows)
    assert len(read) == 12
    for question, reply, fact in FACTS:
        found = [turn for turn in read if turn[1] == reply]
        assert found
        assert all(turn[0] == question and turn[2] == fact for turn in found)
    others = [turn for turn in read if turn[1].startswith("I cannot")]
    assert {turn[0] for turn in others} == {question for question, _, _ in FACTS}


def _tree(number, *, names=("nid", "par"), ids="abcd"):
    """A question, a reply, another reply in its place, which is asked about, and the answer to that."""
    question, reply, fact = FACTS[number]
    said = [
        ("user", question, None),
        ("bot", f"As far as I know: {reply}", 0),
        ("bot", reply, 0),
        ("user", "Are you sure about it?", 1),
    ]
    return [
        {names[0]: ids[n], names[1]: None if up is None else ids[up], "by": who, "txt": text}
        | ({"src": [fact]} if who == "bot" else {})
        for n, (who, text, up) in enumerate(said)
    ]


def _branches(number):
    """The turns of such a tree."""
    question, reply, fact = FACTS[number]
    return [(question, reply, fact), (question, f"As far as I know: {reply}", fact)]


@pytest.mark.parametrize("ids", ["abcd", (1, 2, 3, 4)])
def test_a_tree_of_messages_is_known_by_values_and_not_by_names(turns, ids):
    """The ids need be unique within their conversation alone."""
    read = turns([{"tid": f"T{n}", "nodes": _tree(n, ids=ids)} for n in range(len(FACTS))])
    assert sorted(read) == sorted(turn for n in range(len(FACTS)) for turn in _branches(n))


def test_numbers_that_only_replies_have_are_no_messages_that_they_answer(turns):
    """The count of what was found is no id, though messages have such numbers, too."""
    rows = []
    for n, (question, reply, fact) in enumerate(FACTS):
        thanks = {"nr": 3, "by": "user", "txt": "Thanks, and goodbye."}
        said = [
            {"nr": 1, "by": "user", "txt": question},
            {"nr": 2, "by": "bot", "txt": reply, "src": [fact], "hits": 1},
        ]
        rows.append(
            {
                "tid": f"T{n}",
                "nodes": [*said, thanks, {"nr": 4, "by": "bot", "txt": "Bye!", "hits": 1}],
            }
        )
    assert all(history == "Thanks, and goodbye." for history, reply, *_ in turns(rows) if reply == "Bye!")  # fmt: skip


@pytest.mark.parametrize("held", ["root", "tree", ""])
def test_a_tree_of_messages_that_hold_their_answers_needs_no_ids(turns, held):
    """The question at the root is the history of each answer, whether it stands in an object, a list or a row."""

    def nested(number):
        root, other, reply, ask = (
            {k: v for k, v in one.items() if k not in {"nid", "par"}} for one in _tree(number)
        )
        return {**root, "kids": [reply | {"kids": []}, other | {"kids": [ask | {"kids": []}]}]}

    trees = [nested(n) for n in range(len(FACTS))]
    rows = [{"root": {"root": one}, "tree": {"tree": [one]}}.get(held, one) for one in trees]
    assert turns(rows) == [turn for n in range(len(FACTS)) for turn in _branches(n)]


@pytest.mark.parametrize(("cut", "joined"), [(" ", ""), (". ", "\n")])
def test_the_parts_of_a_message_are_joined(turns, cut, joined):
    """Pieces that end with a blank are one line, and sentences are lines of their own."""
    rows = []
    for question, reply, fact in FACTS:
        said = f"{reply} I hope that helps."
        begin, end = said.split(cut, 1)
        parts = [{"text": begin + cut.rstrip() * bool(joined) + " " * (not joined)}, {"text": end}]
        told = [
            {"who": "guest", "parts": [{"text": question}]},
            {"who": "it", "parts": parts, "src": [fact]},
        ]
        rows.append({"talk": told})
    ends = [
        "I hope that helps." if joined else f"{reply} I hope that helps." for _, reply, _ in FACTS
    ]
    assert [turn[1].split("\n")[-1] for turn in turns(rows)] == ends  # fmt: skip


def answered(number, **kind):
    """Return a reply with the passages that it rests on, as the item of a list."""
    return {**kind, "text": FACTS[number][1], "hits": hits(number)}


def test_a_greeting_that_a_program_repeats_is_no_user_who_asks(turns):
    """Each row has what was typed and, in a list of one item, what was answered."""
    hello = {"kind": "text", "text": "Hello! What may I do for you?"}
    rows = []
    for n, (question, *_) in enumerate(FACTS):
        rows += [{"typed": "", "sent": [hello]}] * (n != 2)
        rows += [{"typed": question.lower().rstrip("?"), "sent": [answered(n, kind="search")]}]
    assert [turn[-3:] for turn in turns(rows) if len(turn) > 2] == [
        (FACTS[n][1], *(hit["body"] for hit in hits(n))) for n in range(len(FACTS))
    ]


def test_parts_of_rows_are_no_conversation_without_what_users_ask_in_these_rows(turns):
    """Else the questions of an assistant, which rest on nothing, would be read as those of a user."""
    rows = []
    for n, (question, *_) in enumerate(FACTS):
        asks = {"kind": "text", "text": f"Is it {TITLES[n].lower()} that you want to know of?"}
        rows += [{"typed": question, "sent": [asks]}]
        rows += [{"typed": "yes tell me of it", "sent": [answered(n, kind="search")]}]
    assert turns(rows) == []


def found_as(by, number, **more):
    """Return what a tool found, as the text of a message of somebody."""
    return {"by": by, "said": json.dumps({**more, "hits": hits(number) if number >= 0 else []})}


def test_what_a_tool_found_may_be_logged_in_the_users_name(turns):
    """Data with passages in place of a text are nobody's question, also where a search found none."""
    sorry = "Of that I know nothing, so please ask a colleague of mine."
    rows = []
    for n, (question, reply, _) in enumerate(FACTS):
        talk = [
            {"by": by, "said": said} if said else found_as("user", number, page="The start page.")
            for asked, answer, number in ((question, reply, n), ("And on the moon?", sorry, -1))
            for by, said in (("user", asked), ("user", ""), ("assistant", answer))
        ]
        rows.append({"talk": [{"message": one} for one in talk]})
    read = turns(rows)
    assert read[::2] == [
        (*FACTS[n][:2], *(hit["body"] for hit in hits(n))) for n in range(len(FACTS))
    ]
    assert {turn[0] for turn in read[1::2]} == {"And on the moon?"}
    assert {len(turn) for turn in read[1::2]} == {2}


def test_the_query_in_the_result_of_a_tool_is_nobodys_question(turns):
    """Courtesies of a call rest on nothing, however many they are, where the log names the results of tools."""
    thanks = {"by": "user", "said": "great thank you"}
    said = "One moment please, I look it up.", "Good, and thank you for your call."
    rows = []
    for n, (question, *replies) in enumerate(FACTS):
        wait, bye, reply = ({"by": "agent", "said": one} for one in (*said, replies[0]))
        result = found_as("tool_result", n, query=TITLES[n].lower())
        rows += [{"talk": [{"by": "user", "said": question}, wait, result, reply, thanks, bye]}]
    assert [turn for turn in turns(rows) if len(turn) > 2] == [
        ("One moment please, I look it up.", FACTS[n][1], *(hit["body"] for hit in hits(n)))
        for n in range(len(FACTS))
    ]


def test_files_in_a_users_message_leave_it_the_users(turns):
    """Data in place of a text are a tool's result, unless a user speaks in them."""
    rows = [
        {
            "talk": [
                {"by": "user", "said": json.dumps({"text": asked, "files": [{"body": fact}]})},
                {"by": "bot", "said": reply},
            ]
        }
        for asked, reply, fact in FACTS
    ]
    assert turns(rows) == [*FACTS]
