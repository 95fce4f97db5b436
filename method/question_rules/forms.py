"""The forms of a question: the pieces of a clause in the order of a question."""

from collections.abc import Iterator

from qsquared.method.question_rules.sentence.clause import Clause
from qsquared.method.question_rules.sentence.phrase import core, definite, name
from qsquared.method.question_rules.sentence.slot import Slot
from qsquared.method.question_rules.sentence.tree import Piece, Tree
from qsquared.method.question_rules.sentence.verbs import (
    Operator,
    agreed,
    auxiliaries,
    expanded,
    find_operator,
    is_past,
    past_form,
    third_person,
)
from qsquared.method.question_rules.sentence.words import OBJECT_PRONOUNS, WORDS
from qsquared.method.question_rules.wh import WhPhrase
from qsquared.method.question_rules.wh_words import names_year, wh_words

Draft = tuple[str, tuple[Piece, ...]]
"""The name of a form and the pieces of a question in it."""


_MEASURES = frozenset({"QUANTITY", "PERCENT", "MONEY", "CARDINAL", "DATE", "TIME", "GPE", "LOC"})
"""Types whose appositions add a measure or a wider place, not a description."""


_SIZES = {"how much": ("of", "for", "at"), "what percentage": ("of", "at"), "how long": ("of",)}
"""Wh-words for a size, and the prepositions that join a noun and its size."""


def replaced(
    pieces: tuple[Piece, ...], out: frozenset[int], put_in: tuple[Piece, ...]
) -> tuple[Piece, ...]:
    """Return the pieces with the tokens of ``out`` replaced by ``put_in`` at the place of the first of them."""
    for position, piece in enumerate(pieces):
        if piece in out:
            return (*pieces[:position], *put_in, *without(pieces[position:], out))
    return pieces


def without(pieces: tuple[Piece, ...], out: frozenset[int]) -> tuple[Piece, ...]:
    """Return the pieces that are not tokens of ``out``."""
    return tuple(piece for piece in pieces if piece not in out)


def drafts(tree: Tree, clause: Clause, slot: Slot, wh: WhPhrase) -> Iterator[Draft]:
    """Return the questions of one clause with one wh-phrase; empty if it asks for something else already."""
    if _holds_wh_word(tree, clause, wh.replaces):
        return
    if slot.phrase in clause.subject:
        yield from _subject(tree, clause, wh)
    elif slot.phrase in clause.body or slot.phrase in clause.tail:
        yield from _active(tree, clause, slot, wh)
        yield from _fronted(tree, clause, slot, wh)


def _subject(tree: Tree, clause: Clause, wh: WhPhrase) -> Iterator[Draft]:
    """Put the wh-phrase in place of the subject, or of a part of it: "Who wrote the book?"."""
    subject = replaced(clause.subject, wh.replaces, wh.pieces)
    is_whole = subject[: len(wh.pieces)] == wh.pieces
    is_plural = wh.is_plural
    if not is_whole:
        heads = [i for i in clause.subject if isinstance(i, int) and tree.heads[i] == clause.verb]
        is_plural = any(map(tree.is_plural, heads))
    borrowed = (expanded(tree, i, clause.verb) for i in clause.borrowed)
    body = agreed(tree, clause.verb, clause.body, is_plural=is_plural)
    yield ("subject" if is_whole else "subject_part"), (*subject, *borrowed, *body, *clause.tail)


def _fronted(tree: Tree, clause: Clause, slot: Slot, wh: WhPhrase) -> Iterator[Draft]:
    """Put the wh-phrase and the operator before the subject: "What is Canada known for?"."""
    out = wh.replaces
    if wh.fronted_preposition is not None:
        out = out | {wh.fronted_preposition}
    if clause.modal:
        operator: Operator | None = Operator(clause.modal)
    elif clause.is_reduced:
        operator = Operator(_participle_operator(tree, clause))
    else:
        operator = find_operator(tree, clause.verb, clause.borrowed)
    if operator is None:
        return
    body = without(clause.body, out | operator.moved)
    verb_group = (operator.changed.get(p, p) if isinstance(p, int) else p for p in body)
    tail = without(clause.tail, out)
    yield _form(tree, slot), (*wh.front, operator.words, *clause.subject, *verb_group, *tail)


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


def _holds_wh_word(tree: Tree, clause: Clause, out: frozenset[int]) -> bool:
    """Whether the clause asks already, for something other than the slot."""
    rest = [i for i in clause.pieces if isinstance(i, int) and i not in out]
    return clause.is_inverted and any(tree.tag(i) in {"WP", "WRB", "WDT"} for i in rest)


def _participle_operator(tree: Tree, clause: Clause) -> str:
    """Return the form of "be" that makes a clause of a noun and its participle."""
    noun = tree.heads[clause.verb]
    finite = next((i for i in tree.ancestors(noun) if tree.is_verb(i)), None)
    was = tree.tag(clause.verb) == "VBN" or (finite is not None and is_past(tree, finite))
    return _be(was=was, is_plural=tree.is_plural(noun))


def _be(*, was: bool, is_plural: bool) -> str:
    if was:
        return "were" if is_plural else "was"
    return "are" if is_plural else "is"


def _active(tree: Tree, clause: Clause, slot: Slot, wh: WhPhrase) -> Iterator[Draft]:
    """Make the agent of a passive the subject of the active: "Who hosted the show?"."""
    agent = slot.preposition
    if agent is None or tree.dep(agent) != "agent" or tree.heads[agent] != clause.verb:
        return
    aux = auxiliaries(tree, clause.verb) or clause.borrowed
    if tree.children(clause.verb, "neg") or (len(aux) != 1 and not clause.is_reduced):
        return
    if clause.is_reduced or tree.tag(aux[0]) == "VBD":
        verb = past_form(tree, clause.verb)
    else:
        is_present = tree.tag(aux[0]) in {"VBZ", "VBP"}
        verb = third_person(tree.tokens[clause.verb].lemma.lower()) if is_present else None
    if verb is None:
        return
    out = wh.replaces | {agent, *aux}
    kept = [p for p in without(clause.body, out) if isinstance(p, int)]
    before, after = [p for p in kept if p < clause.verb], [p for p in kept if p > clause.verb]
    patient = clause.subject
    if len(patient) == 1 and isinstance(patient[0], int):
        patient = (OBJECT_PRONOUNS.get(tree.lower(patient[0]), patient[0]),)
    yield "active", (*wh.pieces, *before, verb, *patient, *after, *clause.tail)


def identities(tree: Tree, slot: Slot, clause: Clause | None) -> Iterator[Draft]:
    """Return questions on the statement that an apposition or a describing word makes of a noun."""
    is_plural = slot.is_modifier and tree.is_plural(slot.phrase)
    be = _be(was=clause is not None and is_past(tree, clause.verb), is_plural=is_plural)
    if slot.is_modifier:
        if slot.label == "NORP" and tree.dep(slot.anchor) == "amod":
            yield "modifier", ("what nationality", be, *_thing(tree, slot))
        elif slot.label == "DATE" and not (tree.is_cut and not names_year(tree, slot)):
            yield "modifier", ("what year", be, *_thing(tree, slot), "from")
    elif slot.anchor == slot.head and slot.label not in _MEASURES:
        wh = "who" if slot.label == "PERSON" or _describes_person(tree, slot) else "what"
        for other in _renamings(tree, slot):
            yield "apposition", (wh, be, *core(tree, other))


def sizes(tree: Tree, slot: Slot, clause: Clause | None) -> Iterator[Draft]:
    """Return the question on the measure of a noun: "How much is the fee?" of "a fee of $12"."""
    if slot.preposition is None or slot.is_modifier:
        return
    noun, asked = tree.heads[slot.preposition], wh_words(tree, slot)[0]
    if tree.is_nominal(noun) and tree.lower(slot.preposition) in _SIZES.get(asked, ()):
        be = _be(was=clause is not None and is_past(tree, clause.verb), is_plural=False)
        yield "size", (asked, be, *definite(tree, core(tree, noun, [slot.preposition])))


def _renamings(tree: Tree, slot: Slot) -> Iterator[int]:
    """Return the nouns that are in apposition to the span."""
    others = [i for i in tree.children(slot.head, "appos") if i not in slot.tokens]
    if tree.dep(slot.head) == "appos":
        others.insert(0, tree.heads[slot.head])
    for i in others:
        if tree.tokens[i].pos in {"NOUN", "PROPN"} and tree.tokens[i].entity not in _MEASURES:
            yield i


def _describes_person(tree: Tree, slot: Slot) -> bool:
    if tree.dep(slot.anchor) != "appos":
        return tree.lower(slot.head) in WORDS["person_nouns"]
    return tree.tokens[tree.heads[slot.anchor]].entity == "PERSON"


def _thing(tree: Tree, slot: Slot) -> tuple[Piece, ...]:
    """Return the noun phrase that a modifier describes, without the modifier and the words after the noun."""
    out = tree.subtree(slot.anchor) | slot.tokens
    pieces = definite(
        tree, [i for i in name(tree, slot.phrase) if i <= slot.phrase and i not in out]
    )
    has_determiner = bool(pieces) and (
        pieces[0] == "the" or any(i in pieces for i in tree.children(slot.phrase, "det", "poss"))
    )
    return pieces if has_determiner else ("the", *pieces)
