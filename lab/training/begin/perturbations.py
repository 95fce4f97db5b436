"""Transformations of sound texts into BEGIN's silver data (Dziri et al. 2021, section 4).

Each is a function of a parsed text that returns the new text and the replaced pieces, or ``None`` where
the text offers nothing to change.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lab.training.examples.perturb import share_words
from qsquared.records import ParsedText, Token

Pool = Mapping[str, Sequence[str]]
"""Texts to put in by their kind: verbs by their tag, entities by their type."""

MOST_REPLACED = 2
"""The paper replaces up to two verbs, or up to two entities."""

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_OBJECTS = frozenset({"dobj", "obj", "attr", "dative"})
_VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
_AUXILIARIES = frozenset({"aux", "auxpass"})
_UNCHANGED = frozenset({"be", "have", "do", "become"})
"""Verbs that carry little meaning, or stand in for others."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A changed text, its transformation, and each (old, new) piece of it."""

    text: str
    transformation: str
    replaced: tuple[tuple[str, str], ...]


def swap_subject_and_object(parsed: ParsedText) -> Edit | None:
    """Exchange subject and object of the first verb that has both."""
    for index, token in enumerate(parsed.tokens):
        if token.pos not in {"VERB", "AUX"}:
            continue
        subject = _phrase(parsed, index, _SUBJECTS)
        found = _phrase(parsed, index, _OBJECTS)
        if subject is None or found is None or subject[1] > found[0]:
            continue
        first, second = (parsed.text[a:b] for a, b in (subject, found))
        if first.lower() == second.lower():
            continue
        moved = _as_first(second) if subject[0] == 0 else second
        left = first if _stays_capital(parsed, subject[0]) else first[:1].lower() + first[1:]
        text = (
            parsed.text[: subject[0]]
            + moved
            + parsed.text[subject[1] : found[0]]
            + left
            + parsed.text[found[1] :]
        )
        return Edit(text, "subject-object swap", ((first, second), (second, first)))
    return None


def replace_verbs(parsed: ParsedText, verbs: Pool, rng: random.Random) -> Edit | None:
    """Replace up to two verbs by others of the same tense, that is of the same tag."""
    places = [(token.start, token.end, token.tag) for token in _verbs(parsed)]
    return _replace(parsed.text, places, verbs, rng, "verbs of the same tense")


def replace_entities(parsed: ParsedText, entities: Pool, rng: random.Random) -> Edit | None:
    """Replace up to two named entities by others of the same type."""
    places = [(e.start, e.end, e.label) for e in parsed.entities]
    return _replace(parsed.text, places, entities, rng, "entities of the same type")


def negate_response(parsed: ParsedText) -> Edit | None:
    """Negate the main clause: "not" after its first auxiliary or copula, or "did not" and its verb.

    A clause that is negated already loses its "not".
    """
    for index, root in enumerate(parsed.tokens):
        if root.dep != "ROOT" or root.pos not in {"VERB", "AUX"}:
            continue
        children = [t for i, t in enumerate(parsed.tokens) if t.head == index and i != index]
        negation = next((t for t in children if t.dep == "neg"), None)
        if negation is not None:
            text = parsed.text[: negation.start].rstrip(" ") + parsed.text[negation.end :]
            return Edit(text, "negation", ((negation.text, ""),))
        carriers = [t for t in children if t.dep in _AUXILIARIES and t.start < root.start]
        carrier = carriers[0] if carriers else root
        if carriers or root.lemma == "be":
            old = carrier.text
            text = f"{parsed.text[: carrier.end]} not{parsed.text[carrier.end :]}"
            return Edit(text, "negation", ((old, f"{old} not"),))
        support = {"VBD": "did", "VBZ": "does", "VBP": "do"}.get(root.tag)
        if support is None or not any(t.dep in _SUBJECTS for t in children):
            continue
        new = f"{support} not {root.lemma}"
        text = parsed.text[: root.start] + new + parsed.text[root.end :]
        return Edit(text, "negation", ((root.text, new),))
    return None


def replace_adjectives(parsed: ParsedText, antonyms: Mapping[str, str]) -> Edit | None:
    """Replace each adjective that has one by its antonym; "a" and "an" follow."""
    text, replaced = parsed.text, []
    for token in reversed(parsed.tokens):
        if token.tag != "JJ" or token.text.lower() not in antonyms:
            continue
        new = antonyms[token.text.lower()]
        new = _as_first(new) if token.text[:1].isupper() else new
        before = _with_article(text[: token.start], new)
        text = before + new + text[token.end :]
        replaced.append((token.text, new))
    if not replaced:
        return None
    return Edit(text, "antonyms", tuple(reversed(replaced)))


def pools(parsed: Iterable[ParsedText]) -> tuple[Pool, Pool]:
    """Collect the verbs of texts by tag and their entities by type, in alphabetical order."""
    verbs: dict[str, set[str]] = defaultdict(set)
    entities: dict[str, set[str]] = defaultdict(set)
    for text in parsed:
        for token in _verbs(text):
            verbs[token.tag].add(token.text.lower())
        for entity in text.entities:
            entities[entity.label].add(text.text[entity.start : entity.end])
    first, second = ({k: sorted(v) for k, v in found.items()} for found in (verbs, entities))
    return first, second


def _verbs(parsed: ParsedText) -> list[Token]:
    """Return the verbs of a text that others may replace."""
    return [
        token
        for token in parsed.tokens
        if token.pos == "VERB" and token.tag in _VERB_TAGS and token.lemma not in _UNCHANGED
    ]


def _replace(
    text: str, places: Sequence[tuple[int, int, str]], pool: Pool, rng: random.Random, name: str
) -> Edit | None:
    places = [place for place in places if len(pool.get(place[2], ())) > 1]
    if not places:
        return None
    chosen = rng.sample(list(places), min(len(places), rng.randint(1, MOST_REPLACED)))
    replaced = []
    for start, end, kind in sorted(chosen, reverse=True):
        old = text[start:end]
        others = [new for new in pool[kind] if not share_words(new, old)]
        if not others:
            continue
        new = rng.choice(others)
        new = _as_first(new) if old[:1].isupper() else new
        text = text[:start] + new + text[end:]
        replaced.append((old, new))
    return Edit(text, name, tuple(reversed(replaced))) if replaced else None


def _phrase(parsed: ParsedText, head: int, roles: frozenset[str]) -> tuple[int, int] | None:
    """Return the bounds of the first noun phrase in a role of a verb, without its complements."""
    for index, token in enumerate(parsed.tokens):
        if token.head != head or index == head or token.dep not in roles:
            continue
        for chunk in parsed.noun_chunks:
            if chunk.start <= token.start < chunk.end:
                return chunk.start, chunk.end
    return None


def _stays_capital(parsed: ParsedText, start: int) -> bool:
    first = next(token for token in parsed.tokens if token.start == start)
    return start > 0 or first.pos == "PROPN" or first.text == "I" or bool(first.entity)


def _with_article(before: str, word: str) -> str:
    """Return the text before a word, with its last "a" or "an" as the word needs it."""
    article = re.search(r"\b([Aa])n?\s+$", before)
    if article is None:
        return before
    needed = article.group(1) + ("n" if word[:1].lower() in "aeiou" else "")
    return f"{before[: article.start()]}{needed} "


def _as_first(text: str) -> str:
    return text[:1].upper() + text[1:]
