"""Turn the pieces of a question into text: spacing, case and stray punctuation."""

from __future__ import annotations

from collections.abc import Sequence

from qsquared.method.question_rules.tree import Piece, Tree

_GLUED_BEFORE = frozenset({",", ".", ";", ":", "!", "?", ")", "]", "}", "%", "…"})
_GLUED_AFTER = frozenset({"(", "[", "{", "$", "£", "€", "#"})
_CLITICS = frozenset({"'s", "'m", "'re", "'ve", "'ll", "'d", "n't", "'"})
_LOOSE = frozenset({",", ";", ":", ".", "!", "?", "-", "–", "—", "--", "…", "..."})
_PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”"}


def realise(tree: Tree, pieces: Sequence[Piece]) -> str:
    """The question's text: first letter raised, question mark at the end, stray marks left out.

    Tokens that stand side by side in the response keep the spacing that they had there.
    """
    kept = _unpaired(tree, _loose(tree, pieces))
    text = ""
    before: Piece | None = None
    for piece in kept:
        word = _word(tree, piece, is_first=before is None)
        if before is not None and _spaced(tree, before, piece):
            text += " "
        text += word
        before = piece
    return text[:1].upper() + text[1:] + "?"


def _show(tree: Tree, piece: Piece) -> str:
    return tree.word(piece) if isinstance(piece, int) else piece


def _word(tree: Tree, piece: Piece, *, is_first: bool) -> str:
    """The words of a piece; the capital that only began the response's sentence is taken away."""
    if isinstance(piece, str) or is_first or piece != _opening(tree):
        return _show(tree, piece)
    token = tree.tokens[piece]
    word = tree.word(piece)
    if token.pos == "PROPN" or token.entity or word == "I" or (word.isupper() and len(word) > 1):
        return word
    return word[:1].lower() + word[1:]


def _opening(tree: Tree) -> int:
    """The first token of the sentence that has a letter or digit."""
    return next((i for i in tree.indices if tree.word(i)[0].isalnum()), -1)


def _spaced(tree: Tree, before: Piece, piece: Piece) -> bool:
    """Whether a space belongs between two pieces."""
    word = _show(tree, piece).replace("’", "'").lower()
    if word in _CLITICS and word != "'":
        return False
    if isinstance(before, int) and isinstance(piece, int) and before < piece:
        first, second = tree.tokens[before], tree.tokens[piece]
        if not any(i in tree.words for i in range(before + 1, piece)):
            return first.end < second.start
    return word not in _GLUED_BEFORE | {"'"} and _show(tree, before) not in _GLUED_AFTER


def _loose(tree: Tree, pieces: Sequence[Piece]) -> list[Piece]:
    """Leave out marks at the edges and marks that follow another or stand beside a wh-phrase."""
    kept: list[Piece] = []
    for piece in pieces:
        is_loose = _show(tree, piece) in _LOOSE
        if is_loose and (not kept or _show(tree, kept[-1]) in _LOOSE):
            continue
        # A mark belongs between two words of the response that it already parted there.
        if is_loose and isinstance(kept[-1], int) and isinstance(piece, int) and kept[-1] > piece:
            continue
        kept.append(piece)
    while kept and _show(tree, kept[-1]) in _LOOSE:
        kept.pop()
    return kept


def _unpaired(tree: Tree, pieces: Sequence[Piece]) -> list[Piece]:
    """Leave out quotation marks and brackets that lost their other half."""
    shown = [_show(tree, piece) for piece in pieces]
    dropped: set[int] = set()
    for opening, closing in _PAIRS.items():
        stack: list[int] = []
        for i, word in enumerate(shown):
            if word == opening:
                stack.append(i)
            elif word == closing:
                if stack:
                    stack.pop()
                else:
                    dropped.add(i)
        dropped.update(stack)
    quotes = [i for i, word in enumerate(shown) if word in {'"', "''", "``"}]
    if len(quotes) % 2:
        dropped.add(quotes[-1])
    return [piece for i, piece in enumerate(pieces) if i not in dropped]
