"""Conversations that a log holds as one text, with who speaks in lines or in the marks of a model's template."""

import re
from typing import Any

from qsquared.storage.logs.messages.messages import Message, read_messages, role_named

_SPEAKER = re.compile(
    r"(?:<\|\w+\|>\s*)+(?P<marked>[a-z]+)(?:<\|\w+\|>|\n)"
    r"|^[ \t]*(?:\[[^\[\]\n]{1,40}\][ \t]*)?\**(?P<name>[^\W\d_]{2,20})(?:[ \t]*\([^()\n]{1,40}\))?\**:\**(?=\s)",
    re.MULTILINE,
)
"""A name between the marks of a model's template, or before a colon at the beginning of a line, perhaps bold."""
_ENDS = re.compile(r"(?:<\|\w+\|>\s*)+\Z")


def read_said(value: Any, glue: str = "\n") -> list[Message]:
    """Read the messages in a value, also those of a transcript."""
    return read_transcript(value) if isinstance(value, str) else read_messages(value, glue)


def read_transcript(text: str) -> list[Message]:
    """Read the messages in a text that begins with a speaker; none unless a user and an assistant speak.

    A name that is usual for no role begins no message.
    """
    named = [(one, role_named(one["marked"] or one["name"])) for one in _SPEAKER.finditer(text)]
    found = [one for one, role in named if role]
    roles = [role for _, role in named if role]
    if not {"user", "assistant"} <= set(roles) or text[: found[0].start()].strip():
        return read_messages(text)
    ends = [*(one.start() for one in found[1:]), len(text)]
    said = (
        _ENDS.sub("", text[one.end() : end]).strip() for one, end in zip(found, ends, strict=True)
    )
    # A prompt ends with the mark of the reply that is to come.
    return [Message(role, one) for role, one in zip(roles, said, strict=True) if one]
