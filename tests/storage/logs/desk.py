"""One conversation of a help desk, which the logs of all programs under test hold.

It has a retrieval, a turn without one, an empty one, a tool's error, and a reply that is cut short.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

RETURNS = "Parcels may be returned within 30 days of delivery."
REFUNDS = (
    "Refunds reach the account within five working days.\nThey are paid to the card of the order."
)
SHIPPING = "Shipping costs 4.90 euros; it's free from 50 euros on."
TITLES = {RETURNS: "Returns", REFUNDS: "Refunds", SHIPPING: "Shipping"}
IDS = {RETURNS: "d1", REFUNDS: "d2", SHIPPING: "d3"}
ERROR = "Error: the order service did not answer within 10 s"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question, the passages found for it (None: none were looked for), and the reply."""

    question: str
    passages: tuple[str, ...] | None
    reply: str
    failed: bool = False
    cut: bool = False

    @property
    def known(self) -> list[str]:
        """The knowledge of the reply."""
        return list(self.passages or ())


DESK = (
    Exchange(
        "How long may I return a parcel?", (RETURNS, REFUNDS), "You may return it within 30 days."
    ),
    Exchange("Thank you very much!", None, "You are welcome!"),
    Exchange("Who is the head of your company?", (), "I did not find that in our pages."),
    Exchange("Where is my order 1723?", None, "I cannot look up orders right now.", failed=True),
    Exchange(
        "And what does shipping cost?",
        (SHIPPING,),
        "Shipping costs 4.90 euros, and it is",
        cut=True,
    ),
)
REPLIES = [one.reply for one in DESK]
KNOWN = [one.known for one in DESK]


def history(number: int) -> list[str]:
    """The texts before the reply of an exchange, in order."""
    said: list[str] = []
    for one in DESK[:number]:
        said += [one.question, one.reply]
    return [*said, DESK[number].question]


def document(text: str, body: str = "text", **more: Any) -> dict[str, Any]:
    """A passage as an object with its text under a name."""
    return {body: text, **more}
