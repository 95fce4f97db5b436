"""A sentence cut down to the clause of one span, so that a question asks about that alone.

Whatever else the sentence says, beside a semicolon, in brackets, after a comma or in a coordination,
has questions of its own.
"""

from collections.abc import Iterator
from dataclasses import replace

from qsquared.method.question_rules.sentence.tree import Tree

_PARTING = frozenset({";", ":", "--", "\u2013", "\u2014", "\u2026", "..."})
_OPENING = {"(": ")", "[": "]"}
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl", "csubj", "csubjpass"})
_COORDINATED = frozenset({"conj", "cc", "preconj"})
_HELD = frozenset({"punct", "aux", "auxpass", "neg", "prt", "dobj", "dative", "attr", "acomp"})
"""Dependants of a verb that no comma parts from it."""


def cut(tree: Tree, span: frozenset[int]) -> Tree:
    """Return the tree of the part of the sentence that holds the span, without what stands aside."""
    tree = _restricted(tree, _part(tree, span))
    tree = _promoted(tree, span)
    aside = {i for branch in _asides(tree, span) for i in tree.subtree(branch)}
    kept = [i for i in tree.indices if i not in aside]
    kept = [i for i in kept if not _parts_nothing(tree, i, frozenset(kept))]
    return replace(_restricted(tree, kept), is_cut=True)


def _restricted(tree: Tree, kept: list[int]) -> Tree:
    """Return the tree of some tokens; one whose governor is not among them becomes a root."""
    held = frozenset(kept)
    heads = {i: tree.heads[i] if tree.heads[i] in held else i for i in kept}
    below: dict[int, list[int]] = {}
    for i, head in heads.items():
        if head != i:
            below.setdefault(head, []).append(i)
    words = {i: tree.words[i] for i in kept}
    return replace(
        tree,
        indices=tuple(kept),
        heads=heads,
        words=words,
        dependants={i: tuple(b) for i, b in below.items()},
    )


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
            return _restricted(moved, [j for j in tree.indices if j not in gone])
    return tree


def _part(tree: Tree, span: frozenset[int]) -> list[int]:
    """Return the tokens between the marks around the span; all, if these make no statement."""
    order = list(tree.indices)
    outside = _without_brackets(tree, order, span)
    places = [n for n, i in enumerate(outside) if i in span]
    if not places:
        return order
    start, end = places[0], places[-1]
    while start > 0 and not _is_parting(tree, outside[start - 1]):
        start -= 1
    while end + 1 < len(outside) and not _is_parting(tree, outside[end + 1]):
        end += 1
    part = outside[start : end + 1]
    return part if _makes_a_statement(_restricted(tree, part)) else outside


def _without_brackets(tree: Tree, order: list[int], span: frozenset[int]) -> list[int]:
    """Leave out the brackets that do not hold the span."""
    kept: list[int] = []
    opened: list[tuple[str, int]] = []
    for i in order:
        kept.append(i)
        if tree.word(i) in _OPENING:
            opened.append((_OPENING[tree.word(i)], len(kept) - 1))
        elif opened and tree.word(i) == opened[-1][0]:
            _, place = opened.pop()
            if not span.intersection(kept[place:]):
                del kept[place:]
    return kept


def _is_parting(tree: Tree, index: int) -> bool:
    """Whether a mark parts statements; a dash or colon within a word or number does not."""
    return tree.lower(index) in _PARTING and index + 1 in tree.words and _is_spaced(tree, index)


def _is_spaced(tree: Tree, index: int) -> bool:
    return tree.tokens[index].end < tree.tokens[index + 1].start


def _makes_a_statement(tree: Tree) -> bool:
    """Whether there is a verb with its subject, or a command."""
    verbs = (i for i in tree.indices if tree.is_verb(i))
    return any(tree.children(verb, *_SUBJECTS) or is_command(tree, verb) for verb in verbs)


def is_command(tree: Tree, verb: int) -> bool:
    """Whether a verb tells the reader what to do: a bare infinitive without subject or auxiliary."""
    if tree.tag(verb) not in {"VB", "VBP"} or tree.children(verb, "aux", "auxpass", *_SUBJECTS):
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
            if tree.dep(i) not in _HELD | _SUBJECTS | _COORDINATED and _trails(tree, i, head):
                yield i
        elif tree.dep(i) in _COORDINATED and _holds_a_part(tree, head, span):
            yield i


def _trails(tree: Tree, index: int, verb: int) -> bool:
    """Whether a branch stands behind a comma after its verb."""
    first = min(tree.subtree(index))
    earlier = [i for i in tree.indices if i < first]
    return bool(earlier) and verb < earlier[-1] and tree.lower(earlier[-1]) == ","


def _holds_a_part(tree: Tree, noun: int, span: frozenset[int]) -> bool:
    """Whether the span is a part of the first member of a coordination, not all of it."""
    own = tree.subtree(noun, tree.children(noun, *_COORDINATED))
    return bool(span & own) and noun not in span


def _listed(tree: Tree, member: int) -> frozenset[int]:
    """Return a member of a coordination and those after it."""
    found = {member}
    for i in tree.children(member, "conj"):
        found |= _listed(tree, i)
    return frozenset(found)


def _parts_nothing(tree: Tree, index: int, kept: frozenset[int]) -> bool:
    """Whether a comma or "and" has lost what stood before or behind it."""
    if tree.lower(index) not in {",", "and", "or", "but"} | _PARTING:
        return False
    order = tree.indices
    place = order.index(index)
    beside = order[max(place - 1, 0)], order[min(place + 1, len(order) - 1)]
    return not kept.issuperset(beside) or index in beside
