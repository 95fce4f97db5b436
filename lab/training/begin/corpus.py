"""Corpora of knowledge-grounded dialogue: the evidence, the turn before, and the reply to it.

BEGIN's paper makes its silver data from Wizard of Wikipedia (section 4).
Readings of SQuAD and QAMR stand in for it: their passages are the evidence, their
questions (or an opening about the topic) the turn before, and their answered questions, said as a
chatbot would say them, the replies.

The paper samples generic replies from a language model at a low temperature, which gives phrases that
fit anything (section 4).
A small phrase grammar stands in for it: agreement, ignorance, feeling, a question back, an echo of a
word of the turn before.
"""

import random
import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.training.examples.perturb import names_in
from lab.training.examples.replies import Stated, article, as_reply, state
from lab.training.examples.statements import Frame
from lab.training.sources.reading import Reading, split_sentences

PHRASES: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8")
)
"""Phrases of all silver examples."""

_SAID: dict[str, list[str]] = PHRASES["generic"]

_WORD = re.compile(r"[A-Za-z]{5,}")


def generic_reply(previous: str, rng: random.Random) -> str:
    """Return a reply that fits almost any turn; a word of the turn before may come back in it."""
    parts = []
    if rng.random() < 0.5:
        parts.append(rng.choice(_SAID["yes"]))
    words = [w.lower() for w in _WORD.findall(previous) if w.lower() not in _SAID["empty"]]
    kinds = ["ignorance", "feeling", "feeling", "remark", "remark", "question"]
    kinds += ["echo", "echo"] if words else []
    for _ in range(1 if rng.random() < 0.55 else 2):
        phrase = rng.choice(_SAID[rng.choice(kinds)])
        parts.append(
            phrase.format(
                degree=rng.choice(_SAID["degree"]),
                quality=rng.choice(_SAID["quality"]),
                word=rng.choice(words) if words else "it",
            )
        )
    text = parts[0]
    for part in parts[1:]:
        joint = (
            ". " if text.endswith(("?", "!")) else rng.choice((", ", ", ", ". ", "! ", ", but "))
        )
        text = f"{text.rstrip('?!') if joint == '. ' and rng.random() < 0.2 else text}{joint}{part}"
    return _as_typed(re.sub(r"([?!])\.", r"\1", text), rng)


def _as_typed(text: str, rng: random.Random) -> str:
    if not text.endswith("?") and rng.random() < 0.6:
        text += rng.choice((".", ".", "!"))
    if rng.random() < 0.5:
        text = re.sub(r"(^|[.!?] )([a-z])", lambda m: m.group(1) + m.group(2).upper(), text)
        text = re.sub(r"\bi\b", "I", text)
    if rng.random() < 0.25:
        text = re.sub(r"([.,!?])", r" \1", text)
    return text


_SPOKEN: dict[str, list[str]] = PHRASES["spoken"]
"""No phrase speaks of the speaker: the paper leaves replies in the first person out of entailment."""

LONGEST_SAID = 30
"""Most words of a sentence that people would say in a chat."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A reply, its evidence and the turn before it.

    ``source`` is its origin; exchanges on the same things share a ``topic``;
    a ``group`` must not be on both sides of the split.
    ``plain`` is the reply before it was made to sound spoken, and ``answer`` the piece of the
    evidence that it is about; both are empty where people wrote the reply.
    """

    source: str
    topic: str
    group: str
    evidence: str
    previous: str
    response: str
    plain: str = ""
    answer: str = ""


def from_readings(
    readings: Iterable[Reading], frame_of: Callable[[str], Frame | None], seed: int
) -> list[Exchange]:
    """Make an exchange of each question that can be stated, in place of Wizard of Wikipedia.

    Half of the replies state the answer, half say the sentence that holds it, or a part of it, as
    wizards and generators often do.
    """
    rng = random.Random(seed)
    made = []
    for number, reading in enumerate(readings):
        stated = state(reading, frame_of(reading.question), rng)
        if stated is None or not stated.answer:
            continue
        said = _said(stated, rng) if rng.random() < 0.5 else ""
        short = said and len(said.split()) <= LONGEST_SAID
        plain = " ".join((said if short else stated.say(stated.answer)).split())
        subject = stated.frame.subject
        made.append(
            Exchange(
                f"{reading.group}#{number}",
                article(reading),
                reading.group,
                " ".join(stated.premise.split()),
                _previous(reading, rng),
                spoken(plain, subject, stated.answer, rng),
                plain,
                stated.answer,
            )
        )
    return made


def spoken(text: str, subject: str, answer: str, rng: random.Random) -> str:
    """Return a text as people would say it in a chat, without a word on the speaker."""
    return as_reply(text, subject, answer, rng, _SPOKEN["openings"], _SPOKEN["closings"])


def part_of(sentence: str, keep: str, rng: random.Random) -> str:
    """Return the sentence, or its first clauses up to one with ``keep`` in it."""
    parts = sentence.split(", ")
    holding = next((i for i, part in enumerate(parts) if keep in part), len(parts) - 1)
    return ", ".join(parts[: rng.randint(holding + 1, len(parts))]).rstrip(".,;") + "."


def _said(stated: Stated, rng: random.Random) -> str:
    sentences = [s for s in split_sentences(stated.premise) if stated.answer in s]
    return part_of(sentences[0] if sentences else stated.premise, stated.answer, rng)


def _previous(reading: Reading, rng: random.Random) -> str:
    if rng.random() < 0.5:
        return reading.question
    topic = reading.group.partition("/")[2].replace("_", " ")
    if not reading.group.startswith("squad/"):
        topic = next(iter(names_in(reading.text)), "that")
    return str(rng.choice(_SPOKEN["talk"])).format(topic=topic)
