"""Find the clause of the knowledge that a question names, and the clause that says the opposite of a claim.

"Books may be borrowed for 28 days, films for 7 days" gives two things a value each, and a small reader
takes the first whatever the question names.
"Open on Sundays" and "closed on Sundays" share all words but one, and a small judge who reads both
beside opening hours of the whole week finds them alike.
Two clauses are opposed if they speak of the same and one of them has a negation, or the other word of
a pair such as open and closed (``opposites.toml``).
Neither is in the paper, whose reader answers from wherever it likes (section 2).
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from qsquared.method.plain.sentences import Bounds, clauses
from qsquared.method.values.answer import content_words, normalise, read
from qsquared.method.values.value import Quantity, Reading, Value

NAMED_CLAUSE_VERSION = 1
"""Raised whenever another clause would be named."""
OPPOSITE_VERSION = 1
"""Raised whenever another clause would be found."""

_STATES: list[list[str]] = tomllib.loads(
    files(__package__ or "").joinpath("opposites.toml").read_text(encoding="utf-8")
)["states"]
_POLES = {
    word: (names[0].split()[0], bool(negative))
    for names in _STATES
    for negative, words in enumerate(names)
    for word in words.split()
}
_NEGATION = re.compile(
    r"\b(?:not(?! (?:only|just|even|more|less|later|earlier))|no(?! \w+er\b)|never|cannot)\b|n't\b"
)
_WORD = re.compile(r"[\w'-]+")
_REFERS = re.compile(r"(?:it|they|he|she|this|that|these|those|you|we)$")
_STEM = 6
_LEAST = 0.6
"""The share of a claim's words that a clause has at least to speak of the same."""
_FEWEST = 2
"""The words of the shortest claim that is compared."""
_SUBJECT = 2
"""The first words of a clause without a state, which are taken for its subject."""


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


@dataclass(frozen=True, slots=True)
class _Statement:
    """A clause: its words, those of them that name its subject, the states among them, and its sign."""

    words: frozenset[str]
    subject: frozenset[str]
    states: frozenset[str]
    negative: bool


def opposed(claim: str, knowledge: Sequence[str]) -> tuple[str, str] | None:
    """Return a clause of a claim and the clause of the knowledge that says its opposite.

    That clause shares more words with the claim's than any clause that says the same.

    Args:
        claim: a sentence of a reply.
        knowledge: its passages.

    Returns:
        The knowledge's clause and the claim's; None if no clause surely says the opposite.
    """
    for start, end in (bounds for sentence in clauses(claim) for bounds in sentence):
        part = claim[start:end]
        clause = _opposite(_statement(part), knowledge)
        if clause:
            return clause, part
    return None


def _opposite(ours: _Statement, knowledge: Sequence[str]) -> str | None:
    if len(ours.words) < _FEWEST:
        return None
    best = {True: (0.0, ""), False: (0.0, "")}
    for text, theirs in (statement for passage in knowledge for statement in _statements(passage)):
        against = ours.negative != theirs.negative
        if against and not ours.states & theirs.states:
            continue
        share = len(ours.words & theirs.words) / len(ours.words)
        if share > best[against][0]:
            best[against] = share, text
    share, text = best[True]
    return text if share >= _LEAST and share > best[False][0] else None


@lru_cache(maxsize=64)
def _statements(passage: str) -> tuple[tuple[str, _Statement], ...]:
    return tuple(_of_passage(passage))


def _of_passage(passage: str) -> Iterator[tuple[str, _Statement]]:
    """Yield each clause; one that begins with a pronoun or a state has the subject of the one before."""
    subject: frozenset[str] = frozenset()
    for start, end in (bounds for sentence in clauses(passage) for bounds in sentence):
        text = passage[start:end]
        statement = _statement(text)
        first = normalise(text).split(" ", 1)[0]
        if first in _POLES or _REFERS.match(first):
            statement = replace(statement, words=statement.words | subject, subject=subject)
        elif statement.states:
            subject = statement.subject
        yield text, statement


def _statement(text: str) -> _Statement:
    plain = normalise(text)
    negative = bool(_NEGATION.search(plain))
    words: list[str] = []
    states: dict[str, int] = {}
    for word in _WORD.findall(plain):
        if _NEGATION.search(word):
            continue
        state, reverse = _POLES.get(word, ("", False))
        if state:
            negative ^= reverse
            states.setdefault(state, len(words))
        words += [state] if state else [root[:_STEM] for root in content_words(word)]
    before = words[: min(states.values(), default=_SUBJECT)]
    return _Statement(frozenset(words), frozenset(before), frozenset(states), negative)
