"""Noun phrases without their side remarks."""

from collections.abc import Iterable

from qsquared.method.question_rules.sentence.tree import Piece, Tree

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
