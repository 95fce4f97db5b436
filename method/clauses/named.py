"""Find the clause of the knowledge that a question names, where a reader took a parallel one.

"Books may be borrowed for 28 days, films for 7 days" gives two things a value each, and a small reader
takes the first whatever the question names.
The paper's reader answers from wherever it likes (section 2).
"""

from qsquared.method.plain.sentences import Bounds, clauses
from qsquared.method.values.reading.answer import content_words, read
from qsquared.method.values.value import Quantity, Reading, Value

NAMED_CLAUSE_VERSION = 1
"""Raised whenever another clause would be named."""


def named_clause(question: str, passage: str, start: int, end: int) -> Bounds | None:
    """Return the clause that the question names, beside that of the reader's answer.

    Both clauses belong to one sentence and have one value each, of the same kind.
    Either the answer is a value, and all words of the other clause are asked about, but not those of
    its own; or the question has the value of the other clause.

    Args:
        question: what was asked.
        passage: the text that was read.
        start: where the answer begins in it.
        end: where it ends.

    Returns:
        The bounds of the other clause; None if there is none, or more than one.
    """
    for parts in clauses(passage):
        answered = next(((a, b) for a, b in parts if a <= start and end <= b), None)
        if answered is None:
            continue
        answer, mine = passage[start:end], passage[answered[0] : answered[1]]
        named = [
            (a, b)
            for a, b in parts
            if (a, b) != answered and _names(question, answer, mine, passage[a:b])
        ]
        return named[0] if len(named) == 1 else None
    return None


def _names(question: str, answer: str, clause: str, other: str) -> bool:
    """Whether a question names the other clause rather than that of the answer."""
    first, second = read(clause), read(other)
    if first is None or second is None or not _parallel(first, second):
        return False
    asked, given = read(question), read(answer)
    if asked and any(_alike(value, second.values[0]) for value in asked.values):
        return second.values[0] in asked.values and first.values[0] not in asked.values
    words = content_words(question)
    return bool(
        given and given.values and second.rest and second.rest <= words and first.rest - words
    )


def _parallel(first: Reading, second: Reading) -> bool:
    """Whether two clauses have one value each, of the same kind."""
    return len(first.values) == len(second.values) == 1 and _alike(
        first.values[0], second.values[0]
    )


def _alike(value: Value, other: Value) -> bool:
    """Whether two values are of one kind: lengths of time, sums of money, dates."""
    if isinstance(value, Quantity) and isinstance(other, Quantity):
        return _kinds(value) == _kinds(other)
    return type(value) is type(other)


def _kinds(quantity: Quantity) -> frozenset[str]:
    return frozenset(quantity.unit.factors) if quantity.unit else frozenset()
