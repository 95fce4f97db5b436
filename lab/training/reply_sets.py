"""Labelled replies to choose the weights of support by, and to show how good it is."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.training.mixture.reading import read_jsonl
from lab.training.passages import CLAIMS, overlap, read_passages
from qsquared.method.plain.sentences import sentences

SEED = 20261125
SUMMARIES, LONGEST = 110, 600
"""Summaries drawn of each label, and the words of the longest document among theirs."""
LONG_REPLIES = CLAIMS / "long-replies.jsonl.gz"
SHORT_REPLIES = LONG_REPLIES.with_name("short-replies.jsonl.gz")
UNFITTED = "short replies"
"""The set that is shown by weights fitted to the others."""
JOINED = 200
"""Replies that are drawn of claims put together."""
_LONGEST_CLAIM, _MOST_JOINED = 40, 5


@dataclass(frozen=True, slots=True)
class Reply:
    """A labelled reply: whether all that it says is supported, and how it was written."""

    response: str
    knowledge: tuple[str, ...]
    supported: bool
    kind: str = ""
    wrong: tuple[int, ...] | None = None
    """The places of its sentences that are not supported, where they are known."""

    @property
    def sentences(self) -> int:
        """The number of its sentences."""
        return len(sentences(self.response))

    @property
    def overlap(self) -> float:
        """Share of its words that stand in the knowledge."""
        return overlap(self.response, self.knowledge)


def read_everyday(data: Path) -> Iterator[Reply]:
    """Read hand-written replies as assistants write them."""
    for row in read_jsonl(data / "claims" / "everyday-dev.jsonl"):
        knowledge = row["knowledge"]
        texts = (knowledge,) if isinstance(knowledge, str) else tuple(knowledge)
        yield Reply(row["response"], texts, row["label"] == 1, row["kind"])


def read_judged(data: Path) -> Iterator[Reply]:
    """Read replies on Wizard-of-Wikipedia knowledge that people judged."""
    for row in read_jsonl(data / "more" / "replies" / "wow-judged-dev.jsonl.gz"):
        yield Reply(row["hypothesis"], (row["premise"],), row["label"] == "entailment")


def read_summaries(data: Path) -> Iterator[Reply]:
    """Read a sample of summaries of long documents, half of them with a small edit that is wrong."""
    rows = list(read_jsonl(data / "more" / "summaries" / "summedits-dev.jsonl.gz"))
    draw = random.Random(SEED)
    for label in ("entailment", "not_entailment"):
        fitting = [
            row for row in rows if row["label"] == label and len(row["premise"].split()) <= LONGEST
        ]
        for row in draw.sample(fitting, SUMMARIES):
            yield Reply(row["hypothesis"], (row["premise"],), label == "entailment")


def read_joined(_data: Path) -> Iterator[Reply]:
    """Read replies of three to five claims on passages kept apart, half of them with one that is not entailed."""
    draw = random.Random(SEED)
    made: list[Reply] = []
    for passage in filter(lambda one: one.kept_apart, read_passages()):
        short = [one for one in passage.claims if len(one.text.split()) < _LONGEST_CLAIM]
        true = [one.text.strip() for one in short if one.label == "entailment"]
        others = [one.text.strip() for one in short if one.label != "entailment"]
        if len(true) < _MOST_JOINED - 1 or not others:
            continue
        for wrong in (0, 1) * 2:
            number = min(draw.randint(3, _MOST_JOINED), len(true))
            claims = draw.sample(true, number - wrong) + draw.sample(others, wrong)
            draw.shuffle(claims)
            places = tuple(n for n, claim in enumerate(claims) if claim in others)
            made.append(Reply(" ".join(claims), tuple(passage.knowledge), not wrong, wrong=places))
    yield from draw.sample(made, JOINED)


def read_long(_data: Path) -> Iterator[Reply]:
    """Read hand-written summaries and answers of three to six sentences on whole articles."""
    for article in read_jsonl(LONG_REPLIES):
        for row in article["replies"]:
            supported = row["label"] == "supported"
            kind = row["kind"].partition("/")[0]
            wrong = tuple(row.get("wrong") or ())
            yield Reply(row["response"], (article["knowledge"],), supported, kind, wrong)


def read_short(_data: Path) -> Iterator[Reply]:
    """Read hand-written replies in chat to a sentence or two of knowledge."""
    for row in read_jsonl(SHORT_REPLIES):
        yield Reply(row["response"], (row["knowledge"],), row["label"] == "supported", row["kind"])


SETS: dict[str, Callable[[Path], Iterator[Reply]]] = {
    "everyday-dev": read_everyday,
    "wow-judged-dev": read_judged,
    "summedits-dev": read_summaries,
    "joined claims": read_joined,
    "long replies": read_long,
    UNFITTED: read_short,
}
