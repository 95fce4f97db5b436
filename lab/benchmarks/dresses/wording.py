"""Small changes to a reply that dresses share."""

import re

_SMALL = frozenset(
    {"The", "A", "An", "It", "He", "She", "They", "There", "This", "That", "In", "On", "One", "Its"}
)


def before_stop(reply: str, mark: str) -> str:
    """Put a mark before the full stop at the end, or at the end."""
    match = re.search(r"[.!?]+$", reply)
    return f"{reply[: match.start()]}{mark}{match.group()}" if match else f"{reply}{mark}"


def ended(reply: str) -> str:
    """End with a full stop, as before another sentence."""
    return reply if reply.endswith((".", "!", "?")) else f"{reply}."


def lowered(reply: str) -> str:
    """Begin with a small letter, unless the first word is a name."""
    first = reply.split(" ", 1)[0]
    return reply[0].lower() + reply[1:] if first in _SMALL else reply
