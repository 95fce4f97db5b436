"""The pieces of a question, and what takes their place."""

from qsquared.method.question_rules.sentence.tree import Piece

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


def without(pieces: tuple[Piece, ...], out: frozenset[int]) -> tuple[Piece, ...]:
    """Return the pieces that are not tokens of ``out``."""
    return tuple(piece for piece in pieces if piece not in out)
