"""The slot that a question leaves open in a sentence, a span and its noun phrase; noun phrases without side remarks."""

from collections.abc import Iterable
from dataclasses import dataclass

from qsquared.method.question_generation.sentence.tree import Piece, Tree
from qsquared.method.question_generation.sentence.words import WORDS
from qsquared.records import Span

_PLACES = frozenset({"GPE", "LOC"})
_BOUNDS = frozenset({"up", "as", "far", "over", "under", "about", "around"})
_PREMODIFIERS = frozenset({"nummod", "amod", "compound", "nmod", "quantmod", "predet", "det"})


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a span in its sentence.

    ``head`` governs the span's other tokens.
    ``anchor`` is the head of the coordination that the span is a part of, else ``head``.
    ``phrase`` is the noun after a possessor, number or other modifier, else ``anchor``.
    ``preposition`` governs ``phrase``.
    """

    tokens: frozenset[int]
    head: int
    anchor: int
    phrase: int
    preposition: int | None
    label: str

    @property
    def is_modifier(self) -> bool:
        """Whether the span is a part before the head of a larger noun phrase."""
        return self.phrase != self.anchor


def find_slot(tree: Tree, span: Span, overlap: list[int]) -> Slot | None:
    """Return the span's slot, or ``None`` if the parse has no noun or number in it."""
    tokens = [i for i in overlap if i in tree.words]
    heads = [i for i in tokens if tree.heads[i] not in tokens or tree.is_root(i)]
    head = next((i for i in heads if tree.is_nominal(i)), heads[-1] if heads else None)
    if head is not None and tree.lower(head) in _BOUNDS:
        # "up to 80 dollars": the bound governs the measure.
        head = next((i for i in reversed(tokens) if tree.is_nominal(i)), head)
    if head is None or tree.is_verb(head):
        return None
    anchor = head
    while _coordinated(tree, anchor):
        anchor = tree.heads[anchor]
    anchor = _named_place(tree, anchor)
    phrase = _phrase(tree, anchor)
    governor = tree.heads[phrase]
    is_governed = tree.dep(phrase) == "pobj" and not tree.is_verb(governor)
    is_own = governor == phrase or governor in tokens
    preposition = governor if is_governed and not is_own else None
    label = span.label or (tree.tokens[head].entity if _fills(tree, tokens, head) else "")
    return Slot(frozenset(tokens), head, anchor, phrase, preposition, label)


def _coordinated(tree: Tree, index: int) -> bool:
    """Whether a token is a further part of a list of nouns, or of a place such as "Paris, France"."""
    head, dep = tree.heads[index], tree.dep(index)
    if head == index or tree.is_verb(head):
        return False
    both = {tree.tokens[index].entity, tree.tokens[head].entity}
    return dep == "conj" or (dep == "appos" and both <= _PLACES)


def _named_place(tree: Tree, anchor: int) -> int:
    """Return the noun of "the city of Memphis" for its name, else the anchor."""
    preposition = tree.heads[anchor]
    noun = tree.heads[preposition]
    is_place = tree.dep(anchor) == "pobj" and tree.tokens[anchor].entity in _PLACES
    if is_place and tree.lower(preposition) == "of" and tree.lower(noun) in WORDS["of_places"]:
        return noun
    return anchor


def _phrase(tree: Tree, anchor: int) -> int:
    """Return the noun that the anchor modifies from the left, or the anchor."""
    dep, head = tree.dep(anchor), tree.heads[anchor]
    if head == anchor or head < anchor:
        return anchor
    if dep == "poss" and tree.is_nominal(head):
        return head
    if dep in _PREMODIFIERS and tree.is_nominal(head):
        # "more than 10000" and "200 million" hang below a number that itself counts a noun.
        return _phrase(tree, head)
    if dep in {"npadvmod", "quantmod"} and tree.tokens[head].pos == "ADJ":
        return head
    return anchor


def _fills(tree: Tree, tokens: list[int], head: int) -> bool:
    """Whether the entity of the head begins and ends with the span, determiner aside."""
    label = tree.tokens[head].entity
    named = [i for i in tokens if tree.tokens[i].pos != "DET"]
    return bool(label) and all(tree.tokens[i].entity == label for i in named)


_ASIDE_MARKS = frozenset({",", "(", "-", "\u2013", "\u2014", ":", "--"})
COORDINATION = frozenset({"conj", "cc", "preconj"})


def is_aside(tree: Tree, index: int) -> bool:
    """Whether the branch that begins here is a remark on a noun, set off by a mark."""
    dep, head = tree.dep(index), tree.heads[index]
    if head >= index or not tree.is_nominal(head):
        return False
    if dep == "parataxis":
        return True
    return dep in {"relcl", "appos", "acl", "amod"} and tree.follows_mark(index, head, _ASIDE_MARKS)


def core(tree: Tree, noun: int, without: Iterable[int] = ()) -> tuple[int, ...]:
    """Return a noun with all that describes it, without further conjuncts, clauses and side remarks."""
    behind = (i for i in tree.children(noun, *COORDINATION, "punct") if i > noun)
    barred = {*without, *behind, *tree.children(noun, "relcl", "appos")}
    barred.update(i for i in tree.subtree(noun) - {noun} if is_aside(tree, i))
    return tuple(sorted(tree.subtree(noun, barred)))


def name(tree: Tree, noun: int) -> tuple[int, ...]:
    """Return a noun with the words before it and its of-phrases: enough to refer to it again."""
    barred = [
        i
        for i in tree.children(noun)
        if tree.dep(i) in {"acl", "case", "punct"}
        or (tree.dep(i) == "prep" and tree.lower(i) != "of")
    ]
    return core(tree, noun, barred)


def definite(tree: Tree, noun_phrase: Iterable[int]) -> tuple[Piece, ...]:
    """Return a noun phrase that was introduced with "a" with "the" instead."""
    pieces: list[Piece] = list(noun_phrase)
    if pieces and isinstance(pieces[0], int) and tree.lower(pieces[0]) in {"a", "an"}:
        pieces[0] = "the"
    return tuple(pieces)
