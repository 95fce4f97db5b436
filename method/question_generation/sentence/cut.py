"""A sentence cut down to the clause of one span, so that a question asks about that alone.

Whatever else the sentence says, beside a semicolon, in brackets, after a comma or in a coordination,
has questions of its own.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from qsquared.method.question_generation.sentence.slot import COORDINATION
from qsquared.method.question_generation.sentence.tree import Tree, between_marks

_PARTING = frozenset({";", ":", "--", "\u2013", "\u2014", "\u2026", "..."})
_OPENING = {"(": ")", "[": "]"}
SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
_HELD = frozenset({"punct", "aux", "auxpass", "neg", "prt", "dobj", "dative", "attr", "acomp"})
"""Dependants of a verb that no comma parts from it."""
_CONDITIONS = frozenset({"if", "unless", "when", "once", "until", "before", "after"})
_LONGEST = 12
"""Most words of a condition that a question repeats."""


def cut(tree: Tree, span: frozenset[int]) -> Tree:
    """Return the tree of the part of the sentence that holds the span, without what stands aside."""
    tree = tree.restricted(_part(tree, span))
    tree = _promoted(tree, span)
    aside = {i for branch in _asides(tree, span) for i in tree.subtree(branch)}
    kept = [i for i in tree.indices if i not in aside and not _is_answer(tree, i, span)]
    kept = [i for i in kept if not _parts_nothing(tree, i, frozenset(kept))]
    # A span such as "and" may be what parts nothing.
    return replace(tree.restricted(kept), is_cut=True) if span.intersection(kept) else tree


def _is_answer(tree: Tree, index: int, span: frozenset[int]) -> bool:
    """Whether a token is a "yes", "no" or "not yet" before the statement that goes with it."""
    word, after = tree.lower(index), index + 1
    ends = after not in tree.words or tree.lower(after) in _PARTING | {","}
    opens = index == tree.indices[0] and after in tree.words and tree.lower(after) == "yet"
    if word in {"yes", "no"} or (word == "yet" and index - 1 == tree.indices[0]):
        return ends and index not in span
    return word == "not" and opens and index not in span


def _promoted(tree: Tree, span: frozenset[int]) -> Tree:
    """Put a further member of a coordination that holds the span deeper down in the place of the first."""
    for i in tree.indices:
        first = tree.heads[i]
        if first == i or tree.dep(i) != "conj" or tree.is_verb(first):
            continue
        if span & tree.subtree(i) and not span & _listed(tree, i):
            gone = tree.subtree(first, [i])
            tokens = list(tree.tokens)
            tokens[i] = replace(tokens[i], dep=tree.dep(first))
            above = tree.heads[first] if tree.heads[first] != first else i
            moved = replace(tree, tokens=tuple(tokens), heads=tree.heads | {i: above})
            return moved.restricted(j for j in tree.indices if j not in gone)
    return tree


def _part(tree: Tree, span: frozenset[int]) -> list[int]:
    """Return the tokens between the marks around the span; all, if these make no statement."""
    order = list(tree.indices)
    outside = _without_brackets(tree, order, span)
    part = between_marks(outside, span, partial(_is_parting, tree))
    return part if _makes_a_statement(tree.restricted(part)) else outside


def _without_brackets(tree: Tree, order: list[int], span: frozenset[int]) -> list[int]:
    """Leave out the brackets that do not hold the span."""
    kept: list[int] = []
    opened: list[tuple[str, int]] = []
    for i in order:
        kept.append(i)
        if tree.word(i) in _OPENING:
            opened.append((_OPENING[tree.word(i)], len(kept) - 1))
        elif opened and tree.word(i) == opened[-1][0]:
            _, opening = opened.pop()
            if not span.intersection(kept[opening:]):
                del kept[opening:]
    return kept


def _is_parting(tree: Tree, index: int) -> bool:
    """Whether a mark parts statements; a dash or colon within a word or number does not."""
    if tree.lower(index) not in _PARTING or index + 1 not in tree.words:
        return False
    return tree.tokens[index].end < tree.tokens[index + 1].start


def _makes_a_statement(tree: Tree) -> bool:
    """Whether there is a verb with its subject, or a command."""
    verbs = (i for i in tree.indices if tree.is_verb(i))
    return any(tree.children(verb, *SUBJECTS) or is_command(tree, verb) for verb in verbs)


def is_command(tree: Tree, verb: int) -> bool:
    """Whether a verb tells the reader what to do or not to do: an infinitive without a subject."""
    if tree.tag(verb) not in {"VB", "VBP"} or tree.children(verb, "auxpass", *SUBJECTS):
        return False
    if any(tree.lower(i) != "do" for i in tree.children(verb, "aux")):
        return False
    if tree.dep(verb) == "conj" and tree.heads[verb] != verb:
        return is_command(tree, tree.heads[verb])
    return tree.is_root(verb) or tree.dep(verb) in {"ROOT", "ccomp", "parataxis"}


def _asides(tree: Tree, span: frozenset[int]) -> Iterator[int]:
    """Return the branches that say something of their own and do not hold the span."""
    for i in tree.indices:
        head = tree.heads[i]
        if head == i or span & tree.subtree(i):
            continue
        if tree.is_verb(head):
            is_own = tree.dep(i) not in _HELD.union(SUBJECTS, COORDINATION)
            if is_own and tree.follows_mark(i, head, frozenset({","})):
                yield i
        elif tree.dep(i) in COORDINATION and _holds_a_part(tree, head, span):
            yield i


def _holds_a_part(tree: Tree, noun: int, span: frozenset[int]) -> bool:
    """Whether the span is a part of the first member of a coordination, not all of it."""
    first_member = tree.subtree(noun, tree.children(noun, *COORDINATION))
    return bool(span & first_member) and noun not in span


def _listed(tree: Tree, member: int) -> frozenset[int]:
    """Return a member of a coordination and those after it."""
    members = {member}
    for i in tree.children(member, "conj"):
        members |= _listed(tree, i)
    return frozenset(members)


def _parts_nothing(tree: Tree, index: int, kept: frozenset[int]) -> bool:
    """Whether a comma or "and" has lost what stood before or behind it."""
    if tree.lower(index) not in {",", "and", "or", "but"} | _PARTING:
        return False
    return not tree.beside(index) <= kept - {index}


def is_condition(tree: Tree, index: int) -> bool:
    """Whether a short clause says under which condition, or when, the statement holds."""
    if not tree.is_cut or tree.dep(index) != "advcl" or len(tree.subtree(index)) > _LONGEST:
        return False
    return any(tree.lower(i) in _CONDITIONS for i in tree.children(index, "mark", "advmod"))


def is_before_mark(tree: Tree, index: int) -> bool:
    """Whether an adverb belongs to a conjunction that is left out, as in "even if"."""
    after = index + 1
    return after in tree.words and tree.dep(after) == "mark"
