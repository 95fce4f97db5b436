"""Questions of last resort: the statement itself, with a wh-phrase in place of the span."""

from qsquared.method.question_rules.forms import Draft, replaced
from qsquared.method.question_rules.sentence.clause import Clause
from qsquared.method.question_rules.sentence.tree import Piece, Tree
from qsquared.method.question_rules.wh import WhPhrase

LONGEST = 40
"""Most tokens of a question in place; a longer clause is cut to a window around the span."""

_BREAKS = frozenset(
    {",", ";", ":", ".", "!", "?", "(", ")", "-", "--", "\u2013", "\u2014", "\u2026", "..."}
)


def in_place(tree: Tree, clause: Clause | None, wh: WhPhrase) -> Draft:
    """Return the clause with the wh-phrase in place of the span, or the words around the span."""
    pieces: tuple[Piece, ...] = () if clause is None else clause.pieces
    if clause is not None and not clause.is_reduced and wh.replaces & set(pieces):
        if clause.borrowed:
            pieces = (*clause.subject, *clause.borrowed, *clause.body, *clause.tail)
        elif clause.is_inverted:
            numbers = sorted(i for i in pieces if isinstance(i, int))
            pieces = tuple(numbers)
        if len(pieces) <= LONGEST:
            return "in_place", replaced(pieces, wh.replaces, wh.pieces)
    return "window", replaced(_window(tree, wh.replaces), wh.replaces, wh.pieces)


def _window(tree: Tree, span: frozenset[int]) -> tuple[int, ...]:
    """Return the tokens around a span up to the next mark or half of ``LONGEST`` on either side."""
    order = tree.indices
    places = [n for n, i in enumerate(order) if i in span]
    first, last = places[0], places[-1]
    start, end = first, last
    while (
        start > 0 and first - start < LONGEST // 2 and tree.lower(order[start - 1]) not in _BREAKS
    ):
        start -= 1
    while (
        end + 1 < len(order)
        and end - last < LONGEST // 2
        and tree.lower(order[end + 1]) not in _BREAKS
    ):
        end += 1
    return order[start : end + 1]
