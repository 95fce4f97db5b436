"""Examples of inference from knowledge (the premise) to a chatbot's reply (the hypothesis).

SQuAD's and QAMR's questions become statements (``lab/training/examples/statements.py``): with their answer they
are said by the passage in other words, with another answer they are not.
A reply is a statement as people chat: lower-cased, opened by "yes, " or "i think ", its subject a
pronoun, two statements in one, or small talk.
Every statement occurs twice, with the text that says it and with a text that does not, so that
the reply alone says nothing about the label.
"""

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lab.training.examples.nli import type_of
from lab.training.examples.perturb import (
    change_name,
    change_number,
    names_in,
    negate,
    share_words,
    word_list,
)
from lab.training.examples.statements import Frame
from lab.training.mixture.inference import NOT_ENTAILMENT, Inference
from lab.training.mixture.reading import Reading, split_sentences

OPENINGS, SMALL_TALK, CLOSINGS = map(word_list, ("openings", "small_talk", "closings"))


@dataclass(frozen=True, slots=True)
class Stated:
    """A question's statement, which ``premise`` makes true; ``reading`` is its origin."""

    reading: Reading
    premise: str
    answer: str
    preposition: str
    frame: Frame

    def say(self, answer: str) -> str:
        """Return the statement with an answer."""
        return self.frame.fill(answer, self.preposition)


def state(reading: Reading, frame: Frame | None, rng: random.Random) -> Stated | None:
    """Put a question's statement beside the sentence with its answer and some neighbours."""
    if frame is None:
        return None
    sentences = split_sentences(reading.text)
    answer = reading.answer
    words = set(reading.question.lower().split())
    overlap = [len(words & set(sentence.lower().split())) for sentence in sentences]
    holding = [i for i, s in enumerate(sentences) if answer in s]
    if not holding:
        return None
    best = max(holding, key=lambda i: (overlap[i], -i))
    before, after = rng.choice([(0, 0), (0, 0), (0, 1), (1, 0), (1, 1), (2, 1)])
    premise = " ".join(sentences[max(0, best - before) : best + after + 1])
    found = re.search(rf"(\w+)\s+{re.escape(answer)}", premise) if answer else None
    return Stated(
        reading, premise, answer.rstrip(".,"), found.group(1).lower() if found else "", frame
    )


def as_reply(statement: str, subject: str, answer: str, rng: random.Random) -> str:
    """Return the statement as people would say it in a chat."""
    text = statement
    if subject and text.startswith(subject[:1].upper() + subject[1:]) and rng.random() < 0.3:
        text = f"{_pronoun(subject, text[len(subject) :], rng)}{text[len(subject) :]}"
    if rng.random() < 0.35:
        opening = rng.choice(OPENINGS)
        keep = text.split()[0] in answer or text.split()[0].rstrip(",") == "I"
        text = opening + (text if keep or opening.endswith((". ", "! ")) else _lower_first(text))
    if rng.random() < 0.15:
        text += rng.choice(CLOSINGS)
    if rng.random() < 0.25:
        text = re.sub(r"([.,!?])", r" \1", text.lower())
    return text


def _pronoun(subject: str, rest: str, rng: random.Random) -> str:
    if re.match(r" (?:were|are|have|do)\b", rest):
        return "They"
    if len(subject.split()) <= 3 and subject[:1].isupper() and not subject.startswith("The "):
        return rng.choice(["He", "She", "It"])
    return "It"


def _lower_first(text: str) -> str:
    first = text.split(maxsplit=1)[0]
    return text if first[1:] != first[1:].lower() else text[:1].lower() + text[1:]


def _wrong_answer(stated: Stated, pool: dict[str, list[str]], rng: random.Random) -> str | None:
    """Return another answer of the same type from the passage, or a number near the right one."""
    kind = type_of(stated.answer)
    right = " ".join(stated.reading.answers)
    candidates = [a for a in pool[kind] if not share_words(a, right)]
    if candidates and rng.random() < 0.8:
        return rng.choice(candidates)
    return change_number(stated.answer, rng)


def reply_pairs(
    readings: Iterable[Reading], frame_of: Callable[[str], Frame | None], seed: int
) -> list[Inference]:
    """Make pairs of knowledge and reply; ``frame_of`` gives the statement of a question."""
    rng = random.Random(seed)
    readings = list(readings)
    stated = [s for r in readings if (s := state(r, frame_of(r.question), rng))]
    names = sorted({name for r in readings for name in names_in(r.text)})
    answers: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    neighbours: dict[str, list[Stated]] = defaultdict(list)
    for one in stated:
        neighbours[article(one.reading)].append(one)
    for reading in readings:
        for answer in dict.fromkeys(reading.answers):
            answers[article(reading)][type_of(answer)].append(answer)
    pairs: list[Inference] = []
    for one in stated:
        near = neighbours[article(one.reading)]
        pairs += _of_statement(one, near, answers[article(one.reading)], names, rng)
    return pairs


def article(reading: Reading) -> str:
    """Name the article that a reading shares with others on the same things."""
    return reading.text if reading.group.startswith("squad/") else reading.group.rpartition(":")[0]


def _of_statement(
    one: Stated,
    near: list[Stated],
    pool: dict[str, list[str]],
    names: list[str],
    rng: random.Random,
) -> list[Inference]:
    group, subject = one.reading.group, one.frame.subject

    def pair(text: str, label: str, premise: str = one.premise) -> Inference:
        return Inference(group, premise, as_reply(text, subject, one.answer, rng), label)

    if not one.reading.answers:
        claimed = rng.choice(pool["phrase"] + pool["name"]) if pool["phrase"] + pool["name"] else ""
        return [pair(one.say(claimed), "neutral")] if claimed else []
    right = one.say(one.answer)
    made = [pair(right, "entailment")]
    wrong = _wrong_answer(one, pool, rng)
    edits = [one.say(wrong) if wrong else None, change_name(right, names, rng), negate(right, rng)]
    broken = [text for text in edits if text and text != right]
    if broken and rng.random() < 0.7:
        made.append(pair(broken[0] if rng.random() < 0.6 else rng.choice(broken), "contradiction"))
    others = [other for other in near if other.answer and other.premise != one.premise]
    if not others:
        return made
    other = rng.choice(others)
    if other.answer not in one.premise:
        draw = rng.random()
        said = other.say(other.answer)
        if draw < 0.45:
            made.append(pair(said, "neutral"))
        elif draw < 0.75:
            made.append(pair(f"{right[:-1]} and {_lower_first(said)}", "neutral"))
        elif draw < 0.85:
            both = f"{other.premise} {one.premise}"
            made.append(pair(f"{right} {said}", "entailment", both))
    if rng.random() < 0.06:
        made.append(Inference(group, one.premise, rng.choice(SMALL_TALK), "neutral"))
    return made


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
