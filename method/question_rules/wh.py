"""Wh-phrases for a span, most specific first, each with the tokens whose place it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from qsquared.method.question_rules import nouns
from qsquared.method.question_rules.slot import Slot
from qsquared.method.question_rules.tree import Piece, Tree

_YEAR = re.compile(r"\b[12]\d{3}\b")
_DECADE = re.compile(r"\d0\s?['’]?\s?s\b")
_LABELS = {
    "PERSON": ("who",),
    "ORG": ("what", "what organization"),
    "GPE": ("what place", "what"),
    "LOC": ("what place", "what"),
    "FAC": ("what place", "what"),
    "PRODUCT": ("what", "what product"),
    "EVENT": ("what event", "what"),
    "WORK_OF_ART": ("what", "what work"),
    "LAW": ("what law", "what"),
    "LANGUAGE": ("what language",),
    "NORP": ("what group", "who"),
    "MONEY": ("how much", "what"),
    "QUANTITY": ("how much", "what"),
    "ORDINAL": ("what position", "what"),
    "PERCENT": ("what percentage",),
    "CARDINAL": ("how many",),
}
_COUNTING = frozenset({"how many", "what percentage"})


@dataclass(frozen=True, slots=True)
class WhPhrase:
    """A wh-phrase, and the tokens that it replaces.

    ``fronted_preposition`` goes to the front with it; other prepositions stay behind.
    ``is_plural`` decides the agreement of a verb whose subject it is.
    """

    pieces: tuple[Piece, ...]
    replaces: frozenset[int]
    fronted_preposition: int | None = None
    is_plural: bool = False

    @property
    def front(self) -> tuple[Piece, ...]:
        """The pieces that begin a fronted question."""
        lead = () if self.fronted_preposition is None else (self.fronted_preposition,)
        return (*lead, *self.pieces)


def wh_phrases(tree: Tree, slot: Slot) -> list[WhPhrase]:
    """Wh-phrases that take the place of the whole phrase around the span."""
    if slot.is_modifier:
        return list(_modifiers(tree, slot))
    taken = tree.subtree(slot.anchor) | slot.tokens
    number = _number(tree, slot)
    phrases = []
    if number is not None:
        phrases.append(_counted(tree, slot.phrase, number))
    for words in _words(tree, slot):
        if words in _COUNTING:
            rest = _rest(tree, slot.anchor, max(slot.tokens))
            phrases.append(WhPhrase((words, *rest), taken, is_plural=True))
        else:
            phrases.append(_placed(tree, slot, words, taken))
    return phrases


def narrow_phrase(tree: Tree, slot: Slot) -> WhPhrase | None:
    """A wh-phrase for the span's own tokens, where more of its noun phrase follows them."""
    whole = tree.subtree(slot.anchor)
    rest = _rest(tree, slot.anchor, max(slot.tokens))
    if slot.is_modifier or slot.anchor != slot.head or not rest or not slot.tokens < whole:
        return None
    for words in _words(tree, slot):
        if words not in _COUNTING and words not in {"where", "when"}:
            return WhPhrase((words,), slot.tokens)
    return None


def _placed(tree: Tree, slot: Slot, words: str, taken: frozenset[int]) -> WhPhrase:
    """Decide what becomes of the preposition: swallowed, fronted or left behind."""
    preposition = slot.preposition
    if preposition is None:
        return WhPhrase((words,), taken)
    name = tree.lower(preposition)
    swallowed = (
        (words == "where" and name in nouns.PLACE_PREPOSITIONS)
        or (words == "when" and name in nouns.TIME_PREPOSITIONS)
        or (words == "how long" and name == "for")
    )
    if swallowed:
        return WhPhrase((words,), taken | {preposition})
    is_time = words.startswith(("what year", "what decade", "what century", "what day", "when"))
    if name in nouns.FRONTED_PREPOSITIONS or (is_time and name in nouns.TIME_PREPOSITIONS):
        return WhPhrase((words,), taken, fronted_preposition=preposition)
    return WhPhrase((words,), taken)


def _words(tree: Tree, slot: Slot) -> tuple[str, ...]:
    """Wh-words by entity type, else by the head noun."""
    name = tree.lower(slot.preposition) if slot.preposition is not None else ""
    is_agent = slot.preposition is not None and tree.dep(slot.preposition) == "agent"
    if slot.label in {"DATE", "TIME"}:
        return _time_words(tree, slot, name)
    if slot.label in {"GPE", "LOC", "FAC"}:
        return _place_words(tree, slot, name)
    if slot.label == "ORG" and is_agent:
        return ("who", "what organization")
    if slot.label in _LABELS:
        return _LABELS[slot.label]
    noun = tree.lower(slot.head)
    if noun in nouns.EITHER_PRONOUNS:
        return ("who", "what")
    if noun in nouns.PERSON_PRONOUNS:
        return ("who",)
    if noun in nouns.PERSON_NOUNS or tree.tokens[slot.head].lemma.lower() in nouns.PERSON_NOUNS:
        return ("who", "what")
    if tree.tag(slot.head) == "CD":
        return ("what year", "when") if _YEAR.fullmatch(noun) else ("how many", "what")
    if noun in nouns.PLACE_NOUNS and name in nouns.PLACE_PREPOSITIONS:
        return ("where", "what")
    if noun in nouns.TIME_NOUNS and name in nouns.TIME_PREPOSITIONS:
        return ("when", "what")
    if is_agent:
        return ("who", "what")
    if tree.tag(slot.head) in {"NNP", "NNPS"}:
        return ("what", "who")
    return ("what", *_kinds(tree, slot))


def _kinds(tree: Tree, slot: Slot) -> Iterator[str]:
    """Ask for the kind of a noun that an adjective or another noun describes."""
    noun = tree.word(slot.head)
    if tree.tag(slot.head) in {"NN", "NNS"} and slot.anchor == slot.head:
        if any(c < slot.head for c in tree.children(slot.head, "amod", "compound")):
            yield f"what kind of {noun}"


def _time_words(tree: Tree, slot: Slot, preposition: str) -> tuple[str, ...]:
    text = " ".join(tree.lower(i) for i in sorted(slot.tokens))
    words = set(text.split())
    has_number = any(tree.tag(i) == "CD" for i in slot.tokens) or bool({"a", "an"} & words)
    if words & nouns.FREQUENCY_WORDS:
        return ("how often", "when")
    if "old" in words:
        return ("how old",)
    if "ago" in words:
        return ("when", "how long ago")
    if _DECADE.search(text):
        return ("what decade", "when")
    if _YEAR.search(text):
        is_bare = _YEAR.fullmatch(text) is not None or words <= {"early", "late", "the"}
        return ("what year", "when") if is_bare else ("when", "what year")
    if "century" in words:
        return ("what century", "when")
    if words & nouns.WEEKDAYS:
        return ("what day", "when")
    if has_number and words & nouns.DURATION_UNITS and preposition not in {"in", "on", "at"}:
        return ("how long", "what")
    if slot.label == "TIME":
        return ("what time", "when")
    return ("when", "what") if preposition or tree.dep(slot.anchor) == "npadvmod" else ("what",)


def _place_words(tree: Tree, slot: Slot, preposition: str) -> tuple[str, ...]:
    noun = _place_noun(tree, slot)
    which = f"what {noun}"
    if preposition in nouns.PLACE_PREPOSITIONS:
        return ("where", which)
    if preposition in {"from", "to"}:
        return ("where", which)
    return (which, "what")


def _place_noun(tree: Tree, slot: Slot) -> str:
    """The kind of place, where a noun beside the name says it."""
    beside = [slot.head, *tree.children(slot.head, "appos", "compound")]
    if slot.preposition is not None and tree.lower(slot.preposition) == "of":
        beside.append(tree.heads[slot.preposition])
    if tree.dep(slot.anchor) == "appos":
        beside.append(tree.heads[slot.anchor])
    for i in beside:
        if tree.lower(i) in nouns.PLACE_NOUNS:
            return tree.lower(i)
    return "place"


def _modifiers(tree: Tree, slot: Slot) -> Iterator[WhPhrase]:
    """Wh-phrases for a possessor, a number or a describing word, with the noun that they go with."""
    noun = slot.phrase
    taken = tree.subtree(noun)
    rest = _rest(tree, noun, max(slot.tokens | tree.subtree(slot.anchor)))
    plural = tree.tag(noun) in {"NNS", "NNPS"}
    fronted = slot.preposition
    if fronted is not None and tree.lower(fronted) not in nouns.FRONTED_PREPOSITIONS:
        fronted = None
    if tree.dep(slot.anchor) == "poss":
        yield WhPhrase(("whose", *rest), taken, fronted, plural)
    elif tree.tokens[noun].pos == "ADJ":
        yield WhPhrase(("how", noun), slot.tokens | tree.subtree(slot.anchor) | {noun})
    elif slot.label in {"CARDINAL", "QUANTITY"} or tree.tag(slot.head) == "CD":
        yield WhPhrase((_LABELS["CARDINAL"][0], *rest), taken, fronted, plural)
    elif slot.label in {"MONEY", "PERCENT"}:
        yield WhPhrase((_LABELS[slot.label][0], *rest), taken, fronted, plural)
    else:
        which = {"DATE": "what year's", "NORP": "what kind of", "LANGUAGE": "what language"}
        asked = "which" if slot.label == "ORDINAL" else which.get(slot.label, "what")
        yield WhPhrase((asked, *rest), taken, fronted, plural)


def _number(tree: Tree, slot: Slot) -> int | None:
    """The number within a span that counts the span's own noun."""
    if slot.label or slot.anchor != slot.head or tree.tag(slot.head) not in {"NNS", "NN"}:
        return None
    counts = tree.children(slot.head, "nummod")
    return counts[-1] if counts and counts[-1] in slot.tokens else None


def _counted(tree: Tree, noun: int, number: int) -> WhPhrase:
    return WhPhrase(
        ("how many", *_rest(tree, noun, number)), tree.subtree(noun), is_plural=True
    )


def _rest(tree: Tree, noun: int, after: int) -> tuple[int, ...]:
    """What follows ``after`` in a noun phrase, without side remarks and further conjuncts."""
    without = [
        child
        for child in tree.children(noun)
        if tree.dep(child) in {"conj", "cc", "appos", "punct", "relcl"} and child > noun
    ]
    return tuple(sorted(i for i in tree.subtree(noun, without) if i > after))
