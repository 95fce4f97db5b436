"""Labelled sentences of talk and claims, and claims from the sets of passages and replies."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.training.mixture.reading import read_jsonl, read_table
from qsquared.method.plain.markup.blocks import plain_text
from qsquared.method.plain.sentences import sentences

FOLDER = Path(__file__).parent / "data"
KEPT_APART = tuple(
    FOLDER / f"{name}.tsv" for name in ("sentences_apart", "unseen", "fresh", "kept_back", "unread")
)
"""Sentences that a network is measured on, and none is trained on.

Bounds are chosen on the first three, and errors on the last ones are counted and not read.
"""
_KINDS = {
    "chat_process": "acknowledgement",
    "empathy": "apology",
    "question_back": "question",
    "announcement": "heading",
}
"""Kinds of `sentences.tsv` that are finer than those of `method/plain/sentence_kinds.py`."""
_LINES_OF_A_SOURCE = 15
"""Sentences of `sentences.tsv` stand in the order in which their companies and phrases were written."""
_WHOLE_REPLIES = ("g7", "g9", "g12")
"""Parts of the claims that hold chatty replies, which are no single claims."""
_CHATTY = (
    "thank", "sorry", "great", "good", "welcome", "hope", "happy", "glad", "hello", "hi", "you're welcome",
    "sure", "of course", "let me", "i'm", "enjoy", "have a",
)  # fmt: skip
_STATES = re.compile(
    r"(?:did|do) you know|, ?(?:right|huh|eh|\w+n't (?:it|he|she|they|you|there|that))\?$",
    re.IGNORECASE,
)
"""Signs of a question that states something: "Did you know that …?", "…, isn't it?"."""
_WORDS_OF_A_CLAIM = 5
_WORDS_OF_A_TURN = 8


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence with its kind; ``group`` is the company or the phrases that it came with."""

    kind: str
    text: str
    group: str
    weight: float


def corpus(data: Path, number: int, seed: int) -> list[Labelled]:
    """Return the hand-written sentences, and so many sentences of the claims and of Wizard of Wikipedia.

    Args:
        data: holds `claims/claims.jsonl.gz` and `more/replies/wow-human-valid.jsonl.gz`.
        number: of sentences from each of the two.
        seed: of the draws.
    """
    drawn = random.Random(seed)
    kept_apart = {row["sentence"].lower() for path in KEPT_APART for row in read_table(path)}
    kept_apart |= {claim.lower() for claim in claims_like_talk()}
    found = [*_by_hand(), *_written("written.tsv", 2.0), *_written("labelled.tsv", 1.5)]
    for source in (
        _claims(data / "claims/claims.jsonl.gz"),
        _turns(data / "more/replies/wow-human-valid.jsonl.gz"),
    ):
        stated = [row for row in source if row.text.lower() not in kept_apart]
        drawn.shuffle(stated)
        found += stated[:number]
    return [row for row in found if row.text.lower() not in kept_apart]


def claims_like_talk() -> list[str]:
    """Return claims that begin or read like talk, which are kept apart, too."""
    return (FOLDER / "claims_like_talk.txt").read_text(encoding="utf-8").splitlines()


def lead_ins() -> dict[str, list[str]]:
    """Return words before and after claims by their part.

    `lead` and `cited` (before) and `tail` (behind) are cut off; `none` and `opening` (before) and `kept`
    (behind) belong to the claim; `cited`, `opening` and `kept` are templates as in `grammar`.
    """
    found: dict[str, list[str]] = {}
    for row in read_table(FOLDER / "lead_ins.tsv"):
        found.setdefault(row["part"], []).append(row["text"])
    return found


def names() -> list[str]:
    """Return given names of people to whom replies are said."""
    return (FOLDER / "names.txt").read_text(encoding="utf-8").split()


def grammar() -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
    """Return the words of slots by their names, and the kinds of sentences with their templates.

    A line "@slot = a | b" fills "{slot}"; of "[a|b]" in a template one is drawn.
    """
    slots: dict[str, list[str]] = {}
    templates: list[tuple[str, str]] = []
    for line in (FOLDER / "grammar.txt").read_text(encoding="utf-8").splitlines():
        name, _, text = line.partition(" =")
        if line.startswith("@"):
            slots[name[1:]] = [word.strip() for word in text.split("|")]
        elif text:
            templates.append((name, text.strip()))
    return slots, templates


def _by_hand() -> Iterator[Labelled]:
    lines = (FOLDER / "sentences.tsv").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        kind, text, hard = line.split("\t")
        group = f"sentences {number // _LINES_OF_A_SOURCE}"
        plain = plain_text(text).text or text
        yield Labelled(_KINDS.get(kind, kind), plain, group, 1.5 if hard else 1.0)


def _written(name: str, weight: float) -> Iterator[Labelled]:
    for row in read_table(FOLDER / name):
        yield Labelled(row["kind"], row["sentence"], f"{name} {row['source']}", weight)


def _claims(path: Path) -> Iterator[Labelled]:
    for row in read_jsonl(path):
        if row["id"].split("-")[0] not in _WHOLE_REPLIES:
            for text in (*row["knowledge"], *(claim["text"] for claim in row["claims"])):
                yield from _stated(text, row["domain"], _WORDS_OF_A_CLAIM)


def _turns(path: Path) -> Iterator[Labelled]:
    """Yield long sentences of people's replies as claims, and their questions as questions."""
    for row in read_jsonl(path):
        text = row["response"]
        yield from _stated(text, "wizard", _WORDS_OF_A_TURN)
        for start, end in sentences(text):
            if text[start:end].endswith("?") and not _STATES.search(text[start:end]):
                yield Labelled("question", text[start:end], "wizard", 0.5)


def _stated(text: str, group: str, words: int) -> Iterator[Labelled]:
    for start, end in sentences(text):
        one = text[start:end]
        chatty = one.endswith(("!", "?")) or one.lower().startswith(_CHATTY)
        if len(one.split()) >= words and not chatty:
            yield Labelled("claim", one, group, 0.5)
