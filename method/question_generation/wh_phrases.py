"""Wh-phrases for a span, most specific first, each with the tokens whose place it takes."""

from dataclasses import dataclass

from qsquared.method.question_generation.sentence.slot import Slot, core
from qsquared.method.question_generation.sentence.tree import Piece, Tree
from qsquared.method.question_generation.sentence.words import WORDS
from qsquared.method.question_generation.wh_words import (
    is_date,
    is_share,
    names_year,
    says_where,
    wh_words,
)

_COUNTING = frozenset({"how many", "what percentage", "which"})
_PLURAL = frozenset({"how many", "what percentage"})
_ADVERBS = frozenset({"where", "when", "how"})
_TIMES = ("what year", "what decade", "what century", "what day", "what date", "what time", "when")
_JOINING = frozenset({"and", "or", "nor", "plus"})
_LONGEST_REST = 8
"""Most words of the other parts of a coordination that a question repeats."""

_MODIFIER_WORDS = {
    "CARDINAL": "how many",
    "QUANTITY": "how many",
    "MONEY": "how much",
    "PERCENT": "what percentage",
    "ORDINAL": "which",
    "LANGUAGE": "what language",
    "DATE": "what year's",
    "NORP": "what kind of",
}


@dataclass(frozen=True, slots=True)
class WhPhrase:
    """A wh-phrase, and the tokens that it replaces.

    ``fronted_preposition`` goes to the front with it; other prepositions stay behind.
    ``is_plural`` decides the agreement of a verb whose subject it is.
    ``leaves_phrase`` marks one that keeps a phrase behind the span: "how much per night".
    """

    pieces: tuple[Piece, ...]
    replaces: frozenset[int]
    fronted_preposition: int | None = None
    is_plural: bool = False
    leaves_phrase: bool = False

    @property
    def front(self) -> tuple[Piece, ...]:
        """Return the pieces that begin a fronted question."""
        lead = () if self.fronted_preposition is None else (self.fronted_preposition,)
        return (*lead, *self.pieces)


def wh_phrases(tree: Tree, slot: Slot) -> list[WhPhrase]:
    """Return wh-phrases that replace the whole noun phrase around the span; at least one."""
    if slot.is_modifier:
        return [_modifier(tree, slot)]
    taken = tree.subtree(slot.anchor) | slot.tokens
    number = _number(tree, slot)
    phrases = []
    if number is not None:
        pieces: tuple[Piece, ...] = ("how many", *_rest(tree, slot.phrase, number))
        phrases.append(WhPhrase(pieces, taken, is_plural=True))
    for words in wh_words(tree, slot):
        if words in _COUNTING or (words != "what" and is_share(tree, slot)):
            rest = _rest(tree, slot.anchor, max(slot.tokens))
            rest = _countable(tree, rest) if words in _COUNTING else rest
            phrases.append(WhPhrase((words, *rest), taken, is_plural=words in _PLURAL))
        else:
            phrases.append(_placed(tree, slot, words, taken))
    return phrases


def narrow_phrase(tree: Tree, slot: Slot) -> WhPhrase | None:
    """Return a wh-phrase for the span's own tokens, if more of its noun phrase follows them."""
    rest = _rest(tree, slot.anchor, max(slot.tokens))
    if slot.is_modifier or slot.anchor != slot.head or not rest or is_share(tree, slot):
        return None
    if not slot.tokens < tree.subtree(slot.anchor):
        return None
    words = (w for w in wh_words(tree, slot) if w not in _COUNTING | _ADVERBS)
    word = next(words, None)
    if word is None:
        return None
    is_measure = tree.lower(rest[0]) in {"of", "per"}
    leaves_phrase = tree.tag(rest[0]) in {"IN", "TO"} and not is_measure
    return WhPhrase((word,), slot.tokens, leaves_phrase=leaves_phrase)


def conjunct_phrase(tree: Tree, slot: Slot) -> WhPhrase | None:
    """Return a wh-phrase for one part of a coordination, which keeps the other parts."""
    is_part = slot.anchor != slot.head or tree.children(slot.head, "conj", "appos")
    if slot.is_modifier or not is_part:
        return None
    others = tree.children(slot.head, "conj", "cc", "punct", "preconj", "appos")
    words = next((w for w in wh_words(tree, slot) if w not in _COUNTING | _ADVERBS), "what")
    return WhPhrase((words,), tree.subtree(slot.head, others) | slot.tokens)


def what_else(tree: Tree, slot: Slot) -> WhPhrase | None:
    """Return a wh-phrase for a part of a coordination behind the others: "you and who else"."""
    part = conjunct_phrase(tree, slot)
    if part is None or _governs(tree, slot, "between"):
        return None
    whole = tree.subtree(slot.anchor) | slot.tokens
    others = sorted(whole - part.replaces)
    joining = [i for i in others if tree.dep(i) == "cc" and tree.lower(i) in _JOINING]
    named = [i for i in others if tree.dep(i) not in {"cc", "punct", "preconj", "predet"}]
    coordinated = {*tree.children(slot.anchor, "conj"), slot.anchor}
    excepts = [i for i in others if tree.dep(i) == "neg" or tree.lower(i) == "but"]
    if not joining or excepts or len(named) > _LONGEST_REST or not coordinated & set(named):
        return None
    listed: list[Piece] = []
    for i in (i for i in others if named[0] <= i <= named[-1]):
        is_mark = i in joining or tree.lower(i) == ","
        if not is_mark or listed[-1] != ",":
            listed.append("," if is_mark else i)
    word = part.pieces[0]
    is_further = word in {"what", "who", "where"} and tree.lower(joining[-1]) != "nor"
    else_ = ("else",) if is_further else ()
    return WhPhrase((*listed, tree.lower(joining[-1]), word, *else_), whole, is_plural=True)


def _governs(tree: Tree, slot: Slot, preposition: str) -> bool:
    return slot.preposition is not None and tree.lower(slot.preposition) == preposition


def _placed(tree: Tree, slot: Slot, words: str, taken: frozenset[int]) -> WhPhrase:
    """Decide whether the preposition is swallowed, fronted or left behind."""
    preposition = slot.preposition
    if preposition is None:
        is_plural = words.startswith("what kind of") and tree.tag(slot.head) == "NNS"
        return WhPhrase((words,), taken, is_plural=is_plural)
    name = tree.lower(preposition)
    is_swallowed = (
        (words == "where" and says_where(tree, slot))
        or (words == "when" and name in WORDS["time_prepositions"])
        or (words == "how long" and name == "for")
        or (words == "how" and name == "by")
        or (words == "when" and name == "from" and len(slot.tokens) > 1)
    )
    if is_swallowed:
        return WhPhrase((words,), taken | {preposition})
    is_time = words.startswith(_TIMES) and name in WORDS["time_prepositions"] | {"from", "by"}
    if is_time or name in WORDS["fronted_prepositions"]:
        return WhPhrase((words,), taken, fronted_preposition=preposition)
    return WhPhrase((words,), taken)


def _modifier(tree: Tree, slot: Slot) -> WhPhrase:
    """Return the wh-phrase for a possessor, a number or a describing word, with its noun."""
    noun = slot.phrase
    branch = tree.subtree(slot.anchor) | slot.tokens
    if tree.lower(noun) == "'s":
        return _placed(tree, slot, "what decade", tree.subtree(noun))
    if tree.tokens[noun].pos == "ADJ":
        unit = _between(tree, branch, noun)
        measured = branch | {noun} | unit
        if unit:
            return WhPhrase(("how many", *sorted(unit), noun), measured)
        if tree.tag(noun) != "JJR":
            return WhPhrase(("how", noun), measured)
        more = tree.heads[noun] if tree.is_nominal(tree.heads[noun]) else noun
        compared = frozenset(i for i in tree.indices if noun < i <= more)
        return WhPhrase(("how much", noun, *sorted(compared)), measured | compared)
    if tree.dep(slot.anchor) == "poss":
        words = "whose"
    elif not slot.label and tree.tag(slot.head) == "CD" and not is_date(tree, slot.head):
        words = "how many"
    else:
        words = _MODIFIER_WORDS.get(slot.label, "what")
        if tree.is_cut and slot.label == "DATE" and not names_year(tree, slot):
            words = "which"
    fronted = slot.preposition
    if fronted is not None and tree.lower(fronted) not in WORDS["fronted_prepositions"]:
        fronted = None
    pieces: tuple[Piece, ...] = (words, *_rest(tree, noun, max(branch)))
    return WhPhrase(pieces, tree.subtree(noun), fronted, tree.is_plural(noun))


def _between(tree: Tree, branch: frozenset[int], noun: int) -> frozenset[int]:
    """Return the unit between a number and the adjective that it measures: "5 mm thick"."""
    return frozenset(i for i in tree.indices if tree.is_cut and max(branch) < i < noun)


def _number(tree: Tree, slot: Slot) -> int | None:
    """Return the number within a span that counts the span's own noun."""
    if slot.label or slot.anchor != slot.head or not tree.is_plural(slot.head):
        return None
    counts = [i for i in tree.children(slot.head, "nummod") if i < slot.head and i in slot.tokens]
    return counts[-1] if counts and not is_date(tree, counts[-1]) else None


def _countable(tree: Tree, rest: tuple[int, ...]) -> tuple[int, ...]:
    """Keep "of" only before a known set: "how many of the dogs", but "how many dogs"."""
    if len(rest) < 2 or tree.lower(rest[0]) != "of":
        return rest
    return rest if tree.tag(rest[1]) in {"DT", "PRP", "PRP$", "WDT"} else rest[1:]


def _rest(tree: Tree, noun: int, after: int) -> tuple[int, ...]:
    """Return the words after ``after`` in a noun phrase."""
    return tuple(i for i in core(tree, noun) if i > after)
