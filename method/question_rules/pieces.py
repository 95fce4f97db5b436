"""The pieces of a question, and what takes their place."""

from collections.abc import Sequence

from qsquared.method.question_rules.sentence.tree import Piece, Tree

Draft = tuple[str, tuple[Piece, ...]]
"""The name of a form and the pieces of a question in it."""


def replaced(
    pieces: tuple[Piece, ...], out: frozenset[int], put_in: tuple[Piece, ...]
) -> tuple[Piece, ...]:
    """Return the pieces with the tokens of ``out`` replaced by ``put_in`` at the place of the first of them."""
    for position, piece in enumerate(pieces):
        if piece in out:
            return (*pieces[:position], *put_in, *without(pieces[position:], out))
    return pieces


def in_case(tree: Tree, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Return the pieces with "whom" for a "who" that follows its preposition."""
    before: tuple[Piece | None, ...] = (None, *pieces)
    return tuple(
        "whom" if piece == "who" and isinstance(last, int) and tree.tag(last) == "IN" else piece
        for last, piece in zip(before, pieces, strict=False)
    )


def without(pieces: tuple[Piece, ...], out: frozenset[int]) -> tuple[Piece, ...]:
    """Return the pieces that are not tokens of ``out``."""
    return tuple(piece for piece in pieces if piece not in out)
