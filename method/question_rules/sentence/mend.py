"""Verbs that the parser took for nouns, as in "Delivery costs $29" and "Leave room for two"."""

from dataclasses import replace

from qsquared.method.question_rules.sentence.tree import Tree
from qsquared.method.question_rules.sentence.words import WORDS

_BEFORE = ("nsubj", "nsubjpass", "compound", "npadvmod")
"""What the subject of a verb is to the noun that the verb was taken for."""


def mended(tree: Tree) -> Tree:
    """Return the tree with the main verb that its root, or the noun after its first word, hides."""
    root = next((i for i in tree.indices if tree.is_root(i)), None)
    first = tree.indices[0]
    if first == root and tree.tokens[first].pos == "ADJ" and tree.children(first, "dobj"):
        return _commanded(tree, first, None)
    if tree.dep(first) == "nsubj" and tree.children(first, "dobj"):
        return _commanded(tree, first, None)
    if root is None or tree.is_verb(root):
        return _with_subject(tree)
    if tree.tag(first) in {"VB", "VBP"} and tree.heads[first] == root and first < root:
        return _commanded(tree, first, root)
    subject = next((i for i in tree.children(root, *_BEFORE) if i < root), None)
    if subject is None or not _can_be_verb(tree, root):
        return tree
    return _retagged(tree, root, {subject: "nsubj"})


def _can_be_verb(tree: Tree, noun: int) -> bool:
    """Whether a noun in the plural is spelt as a verb and followed by a complement."""
    if noun + 1 not in tree.words:
        return False
    if tree.tag(noun) == "NN":
        numbers = (i for i in tree.children(noun, "nsubj") if tree.tag(i) in {"CD", "NNS"})
        return any(numbers) and tree.lower(noun) + "s" in WORDS["verbs_like_nouns"]
    return tree.tag(noun) == "NNS" and tree.lower(noun) in WORDS["verbs_like_nouns"]


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
    word = tree.lower(verb)
    tag, lemma = ("VBZ", word[:-1]) if tree.tag(verb) == "NNS" else ("VBP", word)
    tokens[verb] = replace(tokens[verb], tag=tag, pos="VERB", lemma=lemma, entity="")
    for i, dep in deps.items():
        tokens[i] = replace(tokens[i], dep=dep)
    for i in tree.children(verb, "npadvmod", "nmod", "appos"):
        if i > verb:
            tokens[i] = replace(tokens[i], dep="dobj")
    return replace(tree, tokens=tuple(tokens))


def _commanded(tree: Tree, verb: int, noun: int | None) -> Tree:
    """Return the tree with its first word as a command that governs ``noun``, if that was the root."""
    tokens = list(tree.tokens)
    word = tree.lower(verb)
    tokens[verb] = replace(tokens[verb], tag="VB", pos="VERB", dep="ROOT", lemma=word, entity="")
    heads = {**tree.heads, verb: verb}
    above = tree.heads[verb]
    if noun is not None:
        tokens[noun] = replace(tokens[noun], dep="dobj")
        moved = {i: verb for i in tree.children(noun, "punct", "conj", "cc", "advcl") if i > noun}
        heads |= {**moved, noun: verb}
    elif above != verb:
        tokens[above] = replace(tokens[above], dep="conj")
        heads[above] = verb
    return replace(tree, tokens=tuple(tokens), heads=heads).restricted(tree.indices)
