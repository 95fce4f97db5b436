"""Corpora of knowledge-grounded dialogue: the evidence, the turn before, and the reply to it.

Wizard of Wikipedia is what BEGIN's paper makes its silver data from (section 4).
Where it is not at hand, readings of SQuAD and QAMR stand in: their passages are the evidence, their
questions (or an opening about the topic) the turn before, and their answered questions, said as a
chatbot would say them, the replies.
"""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.training.examples.perturb import names_in
from lab.training.examples.replies import Stated, article, as_reply, state
from lab.training.examples.statements import Frame
from lab.training.sources.reading import Reading, split_sentences
from qsquared.errors import InputError

OPENINGS = (
    "Yes, ", "Yeah, ", "Well, ", "Oh, ", "Oh yes, ", "Actually, ", "Sure, ", "Right, ", "Cool, ",
    "That is true, ", "Did you know that ", "Interesting, ", "Yep, ", "No, ", "Haha, ", "Yes! ",
    "You are right, ",
)  # fmt: skip
"""None speaks of the speaker: the paper leaves replies in the first person out of entailment."""
CLOSINGS = (
    " Have you heard of it?", " Pretty cool, right?", " Did you know that?", " Interesting, right?",
    " What do you think?",
)  # fmt: skip
_TALK = (
    "I love {topic}!", "Do you know much about {topic}?", "What can you tell me about {topic}?",
    "I don't know much about {topic}.", "{topic} is so interesting.", "Have you heard of {topic}?",
    "I have always been curious about {topic}.", "Tell me more about {topic}!", "I like {topic} too.",
    "That is interesting. I never knew that about {topic}.", "Wow, really?", "Oh, that's cool.",
    "My friend told me about {topic}.", "I just read about {topic}. What about you?",
    "Hi! What do you think of {topic}?", "I did not know that. Anything else?",
)  # fmt: skip


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


def read_wizard(path: Path) -> Iterator[Exchange]:
    """Read Wizard of Wikipedia's published JSON: the wizard's turns with a checked sentence.

    Raises:
        InputError: the file is not in that form.
    """
    dialogues = _json(path)
    if not isinstance(dialogues, list):
        raise InputError(
            f"{path} is not a list of dialogues.", "Give Wizard of Wikipedia's train.json."
        )
    for number, dialogue in enumerate(dialogues):
        topic, previous = str(dialogue.get("chosen_topic", number)), ""
        for place, entry in enumerate(dialogue.get("dialog", ())):
            said = str(entry.get("text", ""))
            checked = [
                str(sentence)
                for sentence in (entry.get("checked_sentence") or {}).values()
                if sentence != "no_passages_used"
            ]
            if "Wizard" in str(entry.get("speaker", "")) and checked and said and previous:
                yield Exchange(
                    f"wizard/{number}/{place}",
                    topic,
                    f"wizard/{topic}",
                    " ".join(checked),
                    previous,
                    said,
                )
            previous = said


def read_exchanges(path: Path) -> Iterator[Exchange]:
    """Read JSON Lines with ``evidence``, ``previous``, ``response`` and ``topic`` (and ``id``).

    Raises:
        InputError: a line is not JSON or lacks a field.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                texts = [str(row[name]) for name in ("evidence", "previous", "response", "topic")]
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"{path}, line {number} is not an exchange: {error}.",
                    "Each line is a JSON object with evidence, previous, response and topic.",
                ) from error
            evidence, previous, response, topic = texts
            source = str(row.get("id", f"{path.name}/{number}"))
            yield Exchange(source, topic, f"jsonl/{topic}", evidence, previous, response)


def read_corpus(path: Path) -> list[Exchange]:
    """Read a corpus by its form: ``.jsonl`` holds exchanges, any other file Wizard of Wikipedia.

    Raises:
        InputError: it cannot be read.
    """
    read = read_exchanges if path.suffix == ".jsonl" else read_wizard
    try:
        return list(read(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}.", "Check the path.") from error


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
    return as_reply(text, subject, answer, rng, OPENINGS, CLOSINGS)


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
    return rng.choice(_TALK).format(topic=topic)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}.", "Check the file.") from error
