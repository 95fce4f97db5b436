"""Verbs that the parser took for nouns, as in "Delivery costs $29" and "Leave room for two"."""

from dataclasses import replace

from qsquared.method.question_generation.sentence.tree import Tree
from qsquared.method.question_generation.sentence.words import WORDS

_BEFORE = ("nsubj", "nsubjpass", "compound", "npadvmod")
"""Relations that the subject of a verb has to the noun that the verb was taken for."""


def mended(tree: Tree) -> Tree:
    """Return the tree with the main verb that the parser took for a noun or an adjective."""
    root = next((i for i in tree.indices if tree.is_root(i)), None)
    if root is None:
        return tree
    first = tree.indices[0]
    if first < root and tree.heads[first] == root and tree.tag(first) in {"VB", "VBP"}:
        return tree if tree.is_verb(root) else _commanded(tree, first, root)
    is_adjective = first == root and tree.tokens[first].pos == "ADJ"
    if tree.children(first, "dobj") and (is_adjective or tree.dep(first) == "nsubj"):
        return _commanded(tree, first, None)
    verb = _object_as_verb(tree, root)
    if verb is not None:
        return _swapped(tree, root, verb)
    if tree.is_verb(root):
        return _with_subject(tree)
    subjects = [i for i in tree.children(root, *_BEFORE) if i < root]
    is_hidden = bool(subjects) and _can_be_verb(tree, root)
    return _retagged(tree, root, subjects[0]) if is_hidden else tree


def _object_as_verb(tree: Tree, root: int) -> int | None:
    """Return the verb that the parser took for an object: "Relocating costs you $9"."""
    for i in tree.children(root, "dobj"):
        is_verb = tree.tag(i) == "VBZ" or _can_be_verb(tree, i)
        if is_verb and i > root and not tree.children(i, "det", "amod", "compound", "nummod"):
            return i
    return None


def _swapped(tree: Tree, subject: int, verb: int) -> Tree:
    """Return the tree with a verb as the root, and what was the root as its subject."""
    tokens = list(tree.tokens)
    word = tree.lower(verb)
    tokens[verb] = replace(
        tokens[verb], tag="VBZ", pos="VERB", dep="ROOT", lemma=word.removesuffix("s"), entity=""
    )
    tokens[subject] = replace(tokens[subject], tag="NN", pos="NOUN", dep="nsubj")
    for i in tree.children(subject, "nsubj"):
        tokens[i] = replace(tokens[i], dep="compound")
    moved = {i: verb for i in tree.children(subject) if i > verb}
    heads = {**tree.heads, **moved, subject: verb, verb: verb}
    return replace(tree, tokens=tuple(tokens), heads=heads).restricted(tree.indices)


def _can_be_verb(tree: Tree, noun: int) -> bool:
    """Whether a noun in the plural is spelt as a verb and followed by a complement."""
    if noun + 1 not in tree.words:
        return False
    if tree.tag(noun) == "NN":
        numbers = (i for i in tree.children(noun, "nsubj") if tree.tag(i) in {"CD", "NNS"})
        return (
            next(numbers, None) is not None and tree.lower(noun) + "s" in WORDS["verbs_like_nouns"]
        )
    return tree.tag(noun) == "NNS" and tree.lower(noun) in WORDS["verbs_like_nouns"]


def _with_subject(tree: Tree) -> Tree:
    """Make the measure before a verb without a subject its subject: "An hour gets you"."""
    tokens = list(tree.tokens)
    for verb in tree.indices:
        if tree.tag(verb) != "VBZ" or tree.children(verb, "nsubj", "nsubjpass", "csubj", "expl"):
            continue
        before = [i for i in tree.children(verb, "npadvmod") if i < verb]
        if before and tree.dep(verb) == "ROOT":
            tokens[before[-1]] = replace(tokens[before[-1]], dep="nsubj")
    return replace(tree, tokens=tuple(tokens))


def _retagged(tree: Tree, verb: int, subject: int) -> Tree:
    """Return the tree with a noun as the finite verb that it is spelt as."""
    tokens = list(tree.tokens)
    word = tree.lower(verb)
    tag, lemma = ("VBZ", word[:-1]) if tree.tag(verb) == "NNS" else ("VBP", word)
    tokens[verb] = replace(tokens[verb], tag=tag, pos="VERB", lemma=lemma, entity="")
    tokens[subject] = replace(tokens[subject], dep="nsubj")
    for i in tree.children(verb, "npadvmod", "nmod", "appos"):
        if i > verb:
            tokens[i] = replace(tokens[i], dep="dobj")
    return replace(tree, tokens=tuple(tokens))


def _commanded(tree: Tree, verb: int, noun: int | None) -> Tree:
    """Return the tree with its first word as a command; ``noun`` was the root above it."""
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
