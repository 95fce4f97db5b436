"""Replies whose claims are sentences of the knowledge, word for word.

Not in the paper, whose classifier decides on every reply.
"""

from collections.abc import Sequence
from dataclasses import asdict

from qsquared.method.knowledge.verbatim import COPIES_VERSION, copied_sentences
from qsquared.method.plain.kinds import CLAIM
from qsquared.method.plain.reply import reply_sentences
from qsquared.records import ReplyClasses

VERBATIM = f"sentences/{COPIES_VERSION}"
"""The value of the parameter ``verbatim``."""

CLASSIFIER = "classifier"
"""The value of ``decided_by`` of a reply that is no copy."""

ENTAILED = ReplyClasses(1.0, 0.0, 0.0, 0.0, 0.0)
"""The probabilities of a copy."""


def copies_knowledge(response: str, knowledge: Sequence[str]) -> bool:
    """Whether each claim of a reply is a sentence of the knowledge, but for marks, quotes and case."""
    reply = [asdict(sentence) for sentence in reply_sentences(response)]
    copied = copied_sentences(reply, knowledge)
    claims = [copy for row, copy in zip(reply, copied, strict=True) if row["kind"] == CLAIM]
    return bool(claims) and all(claims)
