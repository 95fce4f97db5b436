"""Questions that begin with their wh-phrase, alone or with the phrase that holds it.

"What is Norway known for?" leaves the preposition behind; "For a delay of how long is the fare
refunded?" takes the whole phrase along, where what is left would not read as a sentence.
"""

from collections.abc import Iterator
from dataclasses import replace

from qsquared.method.question_generation.sentence.clause import Clause
from qsquared.method.question_generation.sentence.slot import Slot
from qsquared.method.question_generation.sentence.tree import Draft, Piece, Tree, replaced, without
from qsquared.method.question_generation.sentence.verbs import Operator, be, find_operator, is_past
from qsquared.method.question_generation.sentence.words import OBJECT_PRONOUNS
from qsquared.method.question_generation.wh_phrases import WhPhrase

_DEFINING = frozenset({"of", "per", "than"})
_NOMINATIVES = {
    "'s": "we",  # "let's"
    **{objective: nominative for nominative, objective in OBJECT_PRONOUNS.items()},
}
_LONGEST = 12
"""Most words of a phrase that goes to the front as a whole."""


def fronted(tree: Tree, clause: Clause, slot: Slot, wh: WhPhrase) -> Iterator[Draft]:
    """Put the wh-phrase and the operator before the subject: "What is Canada known for?"."""
    before = _measure_before(tree, wh.fronted_preposition)
    out = wh.replaces | before
    if wh.fronted_preposition is not None:
        out = out | {wh.fronted_preposition}
    question = _inverted(tree, clause, (*sorted(before), *wh.front), out)
    if question is None:
        return
    is_moved = slot.preposition in clause.tail
    if tree.is_cut and (is_moved or _strands_badly(tree, slot, question)):
        whole = list(pied_piped(tree, clause, slot, wh))
        if whole:
            yield from whole
            return
    yield _form(tree, slot), question


def _measure_before(tree: Tree, preposition: int | None) -> frozenset[int]:
    """Return the measure that goes with a preposition, as in "45 minutes before departure"."""
    if preposition is None or not tree.is_cut:
        return frozenset()
    measures = [i for i in tree.children(preposition, "npadvmod") if i < preposition]
    return frozenset(i for measure in measures for i in tree.subtree(measure))


def pied_piped(tree: Tree, clause: Clause, slot: Slot, wh: WhPhrase) -> Iterator[Draft]:
    """Put the whole phrase that holds the span first: "Within 60 days of what is it returned?"."""
    if slot.preposition is None:
        return
    pieces = {i for i in clause.pieces if isinstance(i, int)}
    top = _top(tree, slot.preposition, pieces)
    of_subject = slot.phrase in clause.subject
    if of_subject:
        if tree.lower(top) in _DEFINING or tree.is_verb(tree.heads[top]):
            return
    elif slot.preposition in wh.replaces:
        return
    phrase = tree.subtree(top) & pieces
    phrase = _without_sequel(tree, wh.replaces, phrase, slot.preposition)
    if slot.preposition not in phrase or clause.verb in phrase or len(phrase) > _LONGEST:
        return
    if of_subject and not set(clause.subject) - phrase:
        return
    front = replaced(tuple(sorted(phrase)), wh.replaces, wh.pieces)
    question = _inverted(tree, clause, front, phrase | wh.replaces)
    if question is not None:
        yield "pied_piped", question


def _top(tree: Tree, preposition: int, pieces: set[int]) -> int:
    """Return the head of the largest phrase that a preposition takes to the front."""
    top = preposition
    if tree.lower(top) == "per":
        return top
    while (head := tree.heads[top]) in pieces and not tree.is_verb(head) and head != top:
        if tree.is_nominal(head) and tree.dep(head) not in {"pobj", "npadvmod", "advmod"}:
            break
        if tree.tokens[head].pos in {"ADJ", "ADV"} and tree.lower(head) != "instead":
            break
        if tree.lower(top) == "to" and tree.lower(max(top - 1, tree.indices[0])) == "up":
            break
        top = head
    return top


def _without_sequel(
    tree: Tree, span: frozenset[int], phrase: frozenset[int], preposition: int
) -> frozenset[int]:
    """Return a phrase from its last comma on, without what only adds to the span."""
    kept: list[int] = []
    for i in sorted(phrase):
        is_own = tree.dep(i) != "prep" or tree.lower(i) in _DEFINING
        if i > max(span) and not is_own and tree.heads[i] in span:
            break
        kept.append(i)
        if i < preposition and tree.lower(i) == ",":
            kept = []
    while kept and tree.lower(kept[-1]) == ",":
        kept.pop()
    return frozenset(kept)


def _strands_badly(tree: Tree, slot: Slot, question: tuple[Piece, ...]) -> bool:
    """Whether a preposition left behind is followed by another phrase, or hangs too deep."""
    preposition = slot.preposition
    if preposition is None or preposition not in question:
        return False
    where = question.index(preposition)
    before, after = question[where - 1], question[where + 1 :]
    if isinstance(before, int) and tree.lower(before) == ",":
        return True
    if after and isinstance(after[0], int) and tree.tag(after[0]) in {"IN", "TO"}:
        return True
    noun = tree.heads[preposition]
    is_deep = tree.is_nominal(noun) and tree.dep(noun) in {"pobj", "npadvmod"}
    return where > 0 and (is_deep or bool(after and _is_inner(tree, slot)))


def _inverted(
    tree: Tree,
    clause: Clause,
    front: tuple[Piece, ...],
    out: frozenset[int],
) -> tuple[Piece, ...] | None:
    """Return a question: its front, the operator, the subject, and the rest without ``out``."""
    if clause.modal:
        operator: Operator | None = Operator(clause.modal)
    elif clause.is_reduced:
        operator = Operator(_participle_operator(tree, clause))
    else:
        operator = find_operator(tree, clause.verb, clause.borrowed)
    if operator is None:
        return None
    body = without(clause.body, out | operator.moved)
    verb_group = (operator.changed.get(p, p) if isinstance(p, int) else p for p in body)
    if operator.words in {"can", "should"}:
        clause = replace(clause, subject=_as_subject(tree, clause.subject))
    subject, tail = without(clause.subject, out), without(clause.tail, out)
    return (*front, operator.words, *subject, *verb_group, *tail)


def _as_subject(tree: Tree, subject: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Return the subject of an infinitive as that of a finite verb: "us" as "we"."""
    if len(subject) != 1 or not isinstance(subject[0], int):
        return subject
    return (_NOMINATIVES.get(tree.lower(subject[0]), subject[0]),)


def _form(tree: Tree, slot: Slot) -> str:
    if tree.dep(slot.anchor) == "poss":
        return "possessor"
    if tree.is_cut and slot.preposition is not None and _is_inner(tree, slot):
        return "inner_object"
    if slot.preposition is not None:
        return "prepositional_object"
    return "attribute" if tree.dep(slot.phrase) in {"attr", "acomp", "oprd"} else "object"


def _is_inner(tree: Tree, slot: Slot) -> bool:
    """Whether the span is within another noun phrase, which a question would have to take apart."""
    assert slot.preposition is not None
    noun = tree.heads[slot.preposition]
    return tree.is_nominal(noun) and tree.dep(noun) != "attr"


def _participle_operator(tree: Tree, clause: Clause) -> str:
    """Return the form of "be" that makes a clause of a noun and its participle."""
    noun = tree.heads[clause.verb]
    finite = next((i for i in tree.ancestors(noun) if tree.is_verb(i)), None)
    was = tree.tag(clause.verb) == "VBN" or (finite is not None and is_past(tree, finite))
    return be(was=was, is_plural=tree.is_plural(noun))
