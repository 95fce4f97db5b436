"""The forms of a question: the pieces of a clause in the order of a question."""

from collections.abc import Iterator

from qsquared.method.question_generation.fronting import fronted, pied_piped
from qsquared.method.question_generation.sentence.clause import Clause
from qsquared.method.question_generation.sentence.slot import Slot, core, definite, name
from qsquared.method.question_generation.sentence.tree import Draft, Piece, Tree, replaced, without
from qsquared.method.question_generation.sentence.verbs import (
    agreed,
    auxiliaries,
    be,
    expanded,
    is_past,
    past_form,
    third_person,
)
from qsquared.method.question_generation.sentence.words import OBJECT_PRONOUNS, WORDS
from qsquared.method.question_generation.wh_phrases import WhPhrase
from qsquared.method.question_generation.wh_words import names_year, wh_words

_MEASURES = frozenset({"QUANTITY", "PERCENT", "MONEY", "CARDINAL", "DATE", "TIME", "GPE", "LOC"})
"""Types whose appositions add a measure or a wider place, not a description."""


_SIZES = {"how much": ("of", "for", "at"), "what percentage": ("of", "at"), "how long": ("of",)}
"""Wh-words for a size, and the prepositions that join a noun and its size."""


def drafts(tree: Tree, clause: Clause, slot: Slot, wh: WhPhrase) -> Iterator[Draft]:
    """Return the questions of one clause with one wh-phrase; empty if it asks for something else already."""
    if _holds_wh_word(tree, clause, wh.replaces):
        return
    if slot.phrase in clause.subject:
        parted = list(pied_piped(tree, clause, slot, wh)) if tree.is_cut else []
        yield from parted or subjects(tree, clause, wh)
    elif slot.phrase in clause.body or slot.phrase in clause.tail:
        yield from _active(tree, clause, slot, wh)
        yield from fronted(tree, clause, slot, wh)


def subjects(tree: Tree, clause: Clause, wh: WhPhrase) -> Iterator[Draft]:
    """Put the wh-phrase in place of the subject, or of a part of it: "Who wrote the book?"."""
    subject = replaced(clause.subject, wh.replaces, wh.pieces)
    is_whole = subject[: len(wh.pieces)] == wh.pieces
    sequel = _sequel(tree, subject[len(wh.pieces) :]) if is_whole and tree.is_cut else ()
    subject = subject[: len(subject) - len(sequel)]
    # A subject that is only asked for in part keeps its verb.
    is_plural = wh.is_plural or not is_whole
    borrowed = (expanded(tree, i, clause.verb) for i in clause.borrowed)
    body = agreed(tree, clause.verb, clause.body, is_plural=is_plural)
    modal = "is" if clause.modal == "are" and is_whole and not wh.is_plural else clause.modal
    predicate = (*((modal,) if modal else ()), *borrowed, *body, *sequel, *clause.tail)
    yield ("subject" if is_whole else "subject_part"), (*subject, *predicate)


def _sequel(tree: Tree, rest: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Return the phrase behind a subject that is asked for, if it can go to the end."""
    first = rest[0] if rest else None
    if not isinstance(first, int) or tree.tag(first) not in {"IN", "TO"}:
        return ()
    return rest if tree.lower(first) not in {"of", "per", "but", "than"} else ()


def _holds_wh_word(tree: Tree, clause: Clause, out: frozenset[int]) -> bool:
    """Whether the clause asks already, for something other than the slot."""
    rest = [i for i in clause.pieces if isinstance(i, int) and i not in out]
    return clause.is_inverted and any(tree.tag(i) in {"WP", "WRB", "WDT"} for i in rest)


def _active(tree: Tree, clause: Clause, slot: Slot, wh: WhPhrase) -> Iterator[Draft]:
    """Make the agent of a passive the subject of the active: "Who hosted the show?"."""
    agent = slot.preposition
    if wh.pieces == ("how",):
        return
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
    is_or_was = be(was=clause is not None and is_past(tree, clause.verb), is_plural=is_plural)
    if slot.is_modifier:
        if slot.label == "NORP" and tree.dep(slot.anchor) == "amod":
            yield "modifier", ("what nationality", is_or_was, *_thing(tree, slot))
        elif slot.label == "DATE" and not (tree.is_cut and not names_year(tree, slot)):
            yield "modifier", ("what year", is_or_was, *_thing(tree, slot), "from")
    elif slot.anchor == slot.head and slot.label not in _MEASURES:
        wh = "who" if slot.label == "PERSON" or _describes_person(tree, slot) else "what"
        for other in _renamings(tree, slot):
            yield "apposition", (wh, is_or_was, *core(tree, other))


def sizes(tree: Tree, slot: Slot, clause: Clause | None) -> Iterator[Draft]:
    """Return the question on the measure of a noun: "How much is the fee?" of "a fee of $12"."""
    if slot.preposition is None or slot.is_modifier:
        return
    noun, asked = tree.heads[slot.preposition], wh_words(tree, slot)[0]
    if tree.is_nominal(noun) and tree.lower(slot.preposition) in _SIZES.get(asked, ()):
        is_or_was = be(was=clause is not None and is_past(tree, clause.verb), is_plural=False)
        yield "size", (asked, is_or_was, *definite(tree, core(tree, noun, [slot.preposition])))


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
