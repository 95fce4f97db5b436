"""A small store that holds the words of a person who asks to be forgotten."""

import json

from tests.faults.small_store import make_small, score_plainly

PERSON = "Wilhelmina"


def rows():
    """A person's conversation, a turn of another person with the same reply, and one of a third."""
    shared = {
        "knowledge": "the 90 trains go to Rome and back",
        "response": "the 90 trains go to Rome",
    }
    own = {
        "knowledge": f"{PERSON} booked the 91 trains to Oslo",
        "response": f"{PERSON} booked the 91 trains to Oslo",
    }
    asked = f"What did {PERSON} book?"
    return [
        {"id": "p1", "conversation_id": "p", "history": ["Hello", asked], **own},
        {
            "id": "p2",
            "conversation_id": "p",
            "history": ["Hello", asked, own["response"], "And?"],
            **shared,
        },
        {"id": "q1", "conversation_id": "q", "history": ["And?"], "user": "u17", **shared},
        {"id": "bad", "response": 7, "name": PERSON},
    ]


def make_people(root):
    """Score the log of two persons besides the small ones; the models have to be fakes."""
    small = make_small(root)
    text = "".join(json.dumps(row) + "\n" for row in rows())
    small.logs[0].write_text(small.logs[0].read_text() + text, encoding="utf-8")
    assert not score_plainly(small)
    return small
