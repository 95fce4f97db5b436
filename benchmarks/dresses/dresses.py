"""Dresses: ways in which a chatbot writes what a plain reply says."""

import html
import random
import re
from collections.abc import Callable

Dress = Callable[[str, random.Random], str]
_SMALL = frozenset(
    {"The", "A", "An", "It", "He", "She", "They", "There", "This", "That", "In", "On", "One", "Its"}
)


def _before_stop(reply: str, mark: str) -> str:
    """Put a mark before the full stop at the end, or at the end."""
    match = re.search(r"[.!?]+$", reply)
    return f"{reply[: match.start()]}{mark}{match.group()}" if match else f"{reply}{mark}"


def _ended(reply: str) -> str:
    """End with a full stop, as before another sentence."""
    return reply if reply.endswith((".", "!", "?")) else f"{reply}."


def _lowered(reply: str) -> str:
    """Begin with a small letter, unless the first word is a name."""
    first = reply.split(" ", 1)[0]
    return reply[0].lower() + reply[1:] if first in _SMALL else reply


def _bold(reply: str, drawn: random.Random) -> str:
    words = reply.split(" ")
    start = drawn.randrange(len(words))
    end = min(len(words), start + drawn.randint(1, 3))
    return " ".join([*words[:start], f"**{' '.join(words[start:end])}**", *words[end:]])


def _html(reply: str, drawn: random.Random) -> str:
    words = [html.escape(word) for word in reply.split(" ")]
    place = drawn.randrange(len(words))
    words[place] = f"<strong>{words[place]}</strong>"
    return f"<p>Hello!</p>\n<p>{' '.join(words)}</p>"


DRESSES: dict[str, Dress] = {
    "greeting line": lambda reply, _: f"Hi Maria,\n\n{reply}",
    "greeting line, one break": lambda reply, _: f"Hello Mr. Berg,\n{reply}",
    "letter": lambda reply, _: (
        f"Dear Maria,\n\nthank you for your message.\n\n{reply}\n\nKind regards,\nAnna\nCustomer Support"
    ),
    "numbered mark before the stop": lambda reply, _: _before_stop(reply, " [1]"),
    "marks after the stop": lambda reply, _: f"{reply} [1][2]",
    "file mark before the stop": lambda reply, _: _before_stop(reply, "【4:2†help.pdf】"),
    "document mark": lambda reply, _: _before_stop(reply, " [doc2]"),
    "raised number": lambda reply, _: f"{reply}¹",
    "footnote": lambda reply, _: f"{reply}[^1]\n\n[^1]: Help article, section 2",
    "source in brackets": lambda reply, _: _before_stop(reply, " (Source: help.pdf, page 3)"),
    "link in brackets": lambda reply, _: _before_stop(
        reply, " ([Help centre](https://help.example/article))"
    ),
    "list of sources": lambda reply, _: (
        f"{reply}\n\n**Sources:**\n1. [Help centre](https://help.example)\n2. guide.pdf"
    ),
    "read more": lambda reply, _: f"{reply}\n\nRead more: https://help.example/article",
    "according to": lambda reply, _: f"According to our help article, {_lowered(reply)}",
    "based on": lambda reply, _: f"Based on the information provided, {_lowered(reply)}",
    "here is": lambda reply, _: f"Here is what I found:\n\n{reply}",
    "yes": lambda reply, _: f"Yes, {_lowered(reply)}",
    "sure, with emoji": lambda reply, _: f"Sure 😊 {reply}",
    "emoji at both ends": lambda reply, _: f"✅ {reply} 🎉",
    "great question and offer": lambda reply, _: (
        f"Great question! {_ended(reply)} Let me know if you have any other questions!"
    ),
    "apology before": lambda reply, _: f"Sorry for the wait! {reply}",
    "question back": lambda reply, _: f"{_ended(reply)} Would you like me to check anything else?",
    "bold words": _bold,
    "all bold": lambda reply, _: f"**{reply}**",
    "bullet": lambda reply, _: f"- {reply}",
    "number": lambda reply, _: f"1. {reply}",
    "heading": lambda reply, _: f"## Answer\n\n{reply}",
    "quote": lambda reply, _: f"> {reply}",
    "HTML": _html,
    "HTML list": lambda reply, _: f"<div><ul><li>{html.escape(reply)}</li></ul></div>",
    "code block": lambda reply, _: f"```text\n{reply}\n```",
    "bot in Markdown": lambda reply, drawn: (
        f"Hi there! 👋\n\n## Here's what I found\n\n- {_before_stop(_bold(reply, drawn), ' [1]')}\n\n"
        "**Sources**\n- [1] [Help centre](https://help.example)\n\n"
        "Is there anything else I can help you with? 😊"
    ),
    "letter with citations": lambda reply, _: (
        f"Dear customer,\n\nThank you for reaching out! According to our guide, "
        f"{_before_stop(_lowered(reply), ' (see the guide, p. 3)')}\n\nBest regards,\nThe Support Team"
    ),
}
"""Dress by name; the last ones are combined of several."""
