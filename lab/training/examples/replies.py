"""Examples of inference from knowledge (the premise) to people's own replies (the hypothesis)."""

import random
import re
from collections.abc import Iterable, Iterator

from lab.training.mixture.inference import NOT_ENTAILMENT, Inference

ENTAILED = 0.85
"""Share of a reply's longer words that stand in the knowledge, at least, to be entailed."""
NOT_ENTAILED = 0.15
"""The share at most to be not entailed."""

_WORD = re.compile(r"\w+")
_STEM = 5
"""Letters that two forms of a word share."""
_CLAIM_WORDS = 5
"""Longer words of the shortest reply that decides anything."""


def reply_judgements(replies: Iterable[tuple[str, str, str]], seed: int) -> Iterator[Inference]:
    """Make pairs of knowledge and reply; ``replies`` are (group, knowledge, reply)."""
    rng = random.Random(seed)
    rows = list(replies)
    for group, knowledge, reply in rows:
        words = [word for word in _WORD.findall(reply.lower()) if len(word) > 3 or word.isdigit()]
        if len(words) < _CLAIM_WORDS:
            continue
        said = {word[:_STEM] for word in _WORD.findall(knowledge.lower())}
        share = sum(word[:_STEM] in said for word in words) / len(words)
        asks = reply.rstrip().endswith("?")
        if share >= ENTAILED and not asks:
            yield Inference(group, knowledge, reply, "entailment")
        elif share <= NOT_ENTAILED:
            yield Inference(group, knowledge, reply, NOT_ENTAILMENT)
        other = rng.choice(rows)
        if rng.random() < 0.3 and other[0] != group and not asks:
            yield Inference(group, other[1], reply, "neutral")
