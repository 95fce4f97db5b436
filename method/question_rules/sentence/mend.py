"""Verbs that the parser took for nouns, as in "Delivery costs $29" and "Leave room for two"."""

from dataclasses import replace

from qsquared.method.question_rules.sentence.tree import Tree
from qsquared.method.question_rules.sentence.words import WORDS

_BEFORE = ("nsubj", "nsubjpass", "compound", "npadvmod")
"""What the subject of a verb is to the noun that the verb was taken for."""


def mended(tree: Tree) -> Tree:
    """Return the tree with the main verb that its root, or the noun after its first word, hides."""
    root = next((i for i in tree.indices if tree.is_root(i)), None)
    if root is None or tree.is_verb(root):
        return _with_subject(tree)
    first = tree.indices[0]
    if tree.tag(first) in {"VB", "VBP"} and tree.heads[first] == root and first < root:
        return _commanded(tree, first, root)
    subject = next((i for i in tree.children(root, *_BEFORE) if i < root), None)
    if subject is None or not _can_be_verb(tree, root):
        return tree
    return _retagged(tree, root, {subject: "nsubj"})


def _can_be_verb(tree: Tree, noun: int) -> bool:
    """Whether a noun in the plural is spelt as a verb and followed by a complement."""
    after = noun + 1
    if tree.tag(noun) != "NNS" or after not in tree.words:
        return False
    return tree.lower(noun) in WORDS["verbs_like_nouns"]


def _with_subject(tree: Tree) -> Tree:
    """Make the measure before a finite verb without a subject its subject: "Half an hour gets you"."""
    tokens = list(tree.tokens)
    for verb in tree.indices:
        if tree.tag(verb) != "VBZ" or tree.children(verb, "nsubj", "nsubjpass", "csubj", "expl"):
            continue
        before = [i for i in tree.children(verb, "npadvmod") if i < verb]
        if before and tree.dep(verb) == "ROOT":
            tokens[before[-1]] = replace(tokens[before[-1]], dep="nsubj")
    return replace(tree, tokens=tuple(tokens))


def _retagged(tree: Tree, verb: int, deps: dict[int, str]) -> Tree:
    """Return the tree with a noun as the finite verb that it is spelt as."""
    tokens = list(tree.tokens)
    lemma = tree.lower(verb).removesuffix("s")
    tokens[verb] = replace(tokens[verb], tag="VBZ", pos="VERB", lemma=lemma, entity="")
    for i, dep in deps.items():
        tokens[i] = replace(tokens[i], dep=dep)
    for i in tree.children(verb, "npadvmod", "nmod", "appos"):
        if i > verb:
            tokens[i] = replace(tokens[i], dep="dobj")
    return replace(tree, tokens=tuple(tokens))


def _commanded(tree: Tree, verb: int, noun: int) -> Tree:
    """Return the tree with its first word as a command, and the root as what it governs."""
    tokens = list(tree.tokens)
    tokens[verb] = replace(tokens[verb], tag="VB", pos="VERB", dep="ROOT")
    tokens[noun] = replace(tokens[noun], dep="dobj")
    moved = {i: verb for i in tree.children(noun, "punct", "conj", "cc", "advcl") if i > noun}
    heads = {**tree.heads, **moved, noun: verb, verb: verb}
    return replace(tree, tokens=tuple(tokens), heads=heads).restricted(tree.indices)
