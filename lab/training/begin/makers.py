"""Makers of silver examples, one for each of BEGIN's five classes (Dziri et al. 2021, section 4).

Each example records its transformation, the exchange that it is from, and the replaced pieces.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lab.training.begin.corpus import PHRASES, Exchange, generic_reply, part_of, spoken
from lab.training.begin.perturbations import (
    Edit,
    Pool,
    negate_response,
    replace_adjectives,
    replace_entities,
    replace_verbs,
    swap_subject_and_object,
)
from qsquared.method.begin.taxonomy import (
    CONTRADICTION,
    ENTAILMENT,
    GENERIC,
    HALLUCINATION,
    OFF_TOPIC,
)
from qsquared.records import ParsedText

LEAST_SHARED = 0.25
"""The paper keeps human responses of which at least so much stands in the evidence."""

_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours|ourselves)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Silver:
    """A labelled example with its origin."""

    label: str
    evidence: str
    previous: str
    response: str
    group: str
    source: str
    transformation: str
    replaced: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Material:
    """Sources of the makers besides an exchange."""

    parse: Callable[[str], ParsedText]
    verbs: Pool
    entities: Pool
    antonyms: Mapping[str, str]
    by_topic: Mapping[str, Sequence[Exchange]]


def in_first_person(text: str) -> bool:
    """Whether a text names the speaker; such a reply says more than its evidence."""
    return _FIRST_PERSON.search(text) is not None


def share_in_evidence(response: str, evidence: str) -> float:
    """Return the share of the response's words that the evidence has, 0 to 1."""
    words, known = _words(response), set(_words(evidence))
    return sum(word in known for word in words) / len(words) if words else 0.0


def entailed(exchange: Exchange, _material: Material, _rng: random.Random) -> Silver | None:
    """Keep the reply itself, if it has enough of the evidence and no first person."""
    if not _is_grounded(exchange):
        return None
    return _silver(ENTAILMENT, exchange, exchange.response, "human response")


def hallucinated(exchange: Exchange, material: Material, rng: random.Random) -> Silver | None:
    """Make a reply from perturbed evidence, or add to the reply a statement without support.

    The paper's generator answers from perturbed evidence, and its replies are full of opinions, which
    BEGIN's annotators count as hallucinated.
    The substitute says the perturbed sentence (half of the time, and always what was changed), adds
    an experience of the speaker's, or adds a fact from other evidence.
    """
    draw = rng.random()
    if draw < 0.5:
        edit = _perturb(material.parse(exchange.evidence), material, rng)
        if edit is None:
            return None
        said = _answer_perturbed(exchange, edit, rng)
        return _silver(HALLUCINATION, exchange, said, edit.transformation, edit.replaced)
    plain = exchange.plain or exchange.response
    if draw < 0.75:
        added = _personal(material.parse(exchange.evidence), rng)
        first, second = (added, plain) if rng.random() < 0.5 else (plain, added)
        said = _joined(first, second, rng)
        how = "personal statement added"
    else:
        other = _same_topic(exchange, material, rng)
        if other is None:
            return None
        added = other.plain or other.response
        said = _joined(plain, added, rng)
        how = "fact from beside the evidence added"
    return _silver(
        HALLUCINATION, exchange, spoken(said, "", exchange.answer, rng), how, (("", added),)
    )


def off_topic(exchange: Exchange, material: Material, rng: random.Random) -> Silver | None:
    """Take a reply on other evidence of the same topic."""
    other = _same_topic(exchange, material, rng)
    if other is None:
        return None
    return _silver(
        OFF_TOPIC, exchange, other.response, "reply on other evidence", (("", other.source),)
    )


def generic(exchange: Exchange, _material: Material, rng: random.Random) -> Silver | None:
    """Make a reply that fits almost any turn."""
    return _silver(GENERIC, exchange, generic_reply(exchange.previous, rng), "phrase grammar")


def contradicted(exchange: Exchange, material: Material, rng: random.Random) -> Silver | None:
    """Negate a reply of the class entailment, or put in the antonyms of its adjectives."""
    if not _is_grounded(exchange):
        return None
    plain = material.parse(exchange.plain or exchange.response)
    edits = [replace_adjectives(plain, material.antonyms), negate_response(plain)]
    found = [edit for edit in edits if edit is not None]
    if not found:
        return None
    edit = found[0] if rng.random() < 0.6 else found[-1]
    said = spoken(edit.text, "", exchange.answer, rng) if exchange.plain else edit.text
    return _silver(CONTRADICTION, exchange, said, edit.transformation, edit.replaced)


MAKERS: Mapping[str, Callable[[Exchange, Material, random.Random], Silver | None]] = {
    ENTAILMENT: entailed,
    HALLUCINATION: hallucinated,
    OFF_TOPIC: off_topic,
    GENERIC: generic,
    CONTRADICTION: contradicted,
}


def _silver(
    label: str,
    exchange: Exchange,
    response: str,
    transformation: str,
    replaced: tuple[tuple[str, str], ...] = (),
) -> Silver:
    return Silver(
        label,
        exchange.evidence,
        exchange.previous,
        response,
        exchange.group,
        exchange.source,
        transformation,
        replaced,
    )


def _is_grounded(exchange: Exchange) -> bool:
    response = exchange.response
    return (
        not in_first_person(response)
        and share_in_evidence(response, exchange.evidence) >= LEAST_SHARED
    )


def _perturb(parsed: ParsedText, material: Material, rng: random.Random) -> Edit | None:
    """Make one of the three perturbations that the evidence allows."""
    edits: list[Callable[[], Edit | None]] = [
        lambda: swap_subject_and_object(parsed),
        lambda: replace_verbs(parsed, material.verbs, rng),
        lambda: replace_entities(parsed, material.entities, rng),
    ]
    rng.shuffle(edits)
    return next(filter(None, (make() for make in edits)), None)


def _answer_perturbed(exchange: Exchange, edit: Edit, rng: random.Random) -> str:
    """Say the statement of the question with the replaced pieces, else the changed sentence."""
    plain = exchange.plain
    if edit.transformation != "subject-object swap":
        for old, new in edit.replaced:
            plain = plain.replace(old, new)
        if plain and plain != exchange.plain:
            return spoken(plain, "", "", rng)
    new = edit.replaced[-1][1]
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z])", edit.text)
    changed = [s for s in sentences if s not in exchange.evidence] or sentences
    return spoken(part_of(changed[0], new, rng), "", new, rng)


def _personal(parsed: ParsedText, rng: random.Random) -> str:
    nouns = [t.text for t in parsed.tokens if t.pos in {"NOUN", "PROPN"} and len(t.text) > 3]
    noun = rng.choice(nouns or ["one"])
    thing = rng.choice(("it", "that", f"the {noun}", f"this {noun}"))
    chosen = {name: rng.choice(options) for name, options in PHRASES["personal"]["choices"].items()}
    text = str(rng.choice(PHRASES["personal"]["statements"])).format(thing=thing, **chosen)
    return text[:1].upper() + text[1:]


def _joined(first: str, second: str, rng: random.Random) -> str:
    first = first.rstrip(".")
    joint = rng.choice((". ", " and ", ", ", " but ", ". "))
    lower = second if second.startswith("I ") or joint == ". " else second[:1].lower() + second[1:]
    return f"{first}{joint}{lower.rstrip('.')}."


def _same_topic(exchange: Exchange, material: Material, rng: random.Random) -> Exchange | None:
    """Draw an exchange of the same topic whose reply this evidence does not hold."""
    others = [
        other
        for other in material.by_topic[exchange.topic]
        if other.evidence != exchange.evidence
        and not (other.answer and other.answer in exchange.evidence)
        and not (other.plain and other.plain in exchange.evidence)
    ]
    return rng.choice(others) if others else None


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
