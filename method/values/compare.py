"""Compare two answers by their values, and decide where this is sure: the reply's against the knowledge's.

A relation is stated only where it is sure; all else is left to the judge.

| relation | meaning |
|---|---|
| `equal` | both name the same |
| `within` | the reply's is true if the knowledge's is: a bound that holds, a rounded number, a part of a date |
| `compatible` | the reply says more than the knowledge's answer, and nothing against it |
| `different` | both cannot be true |

Lists are compared as sets: the order of their members carries no meaning.
"""

import re
from dataclasses import dataclass

from qsquared.method.values.answer import LONGEST, NEGATIONS, content_words, normalise, read
from qsquared.method.values.compare_dates import compare_clocks, compare_dates, relate_weekdays
from qsquared.method.values.compare_quantities import compare_quantities
from qsquared.method.values.value import Clock, Date, Place, Quantity, Reading, Value

EQUAL = "equal"
WITHIN = "within"
COMPATIBLE = "compatible"
DIFFERENT = "different"
OPEN = "open"
"""Both answers have values, whose relation is not sure."""

_ORDER = (EQUAL, WITHIN, COMPATIBLE)
_ASKS_NUMBER = re.compile(r"\bhow (?:many|much)\b")
_ASKS_VALUE = re.compile(
    r"\bhow (?!(?:do|does|did|is|are|was|were|can|could|should|will|would)\b)\w+|\bwhen\b|"
    r"\b(?:what|which) (?:\w+ )?(?:year|date|day|month|time|percentage|price|number|amount|age)\b"
)

BY_VALUE = "values/5"
"""The value of the parameter ``by_value``; the number is raised whenever a rule changes."""

MEMBERS = "members"
"""Each member of the reply's list is one of the knowledge's."""
SOME_MEMBERS = "some_members"
"""Only some of them are."""

RELATIONS = (EQUAL, WITHIN, MEMBERS, COMPATIBLE, SOME_MEMBERS, DIFFERENT)
"""The relations that decide a question, from the best to the worst."""

HALF = 0.5
"""Least score of a reply that says more than the knowledge's answer, and nothing against it."""

_SHARES = {EQUAL: 1.0, WITHIN: 1.0, COMPATIBLE: HALF, DIFFERENT: 0.0, OPEN: 0.0}
_JOINED = re.compile(
    r"\s*,\s*(?:and|or|as well as|plus)\s+|\s*[,;]\s+|\s+(?:and|or|as well as|plus)\s+|\s*&\s*"
)
_LISTED, _OR = re.compile(r"\b(?:and|as well as|plus|or)\b|&"), re.compile(r"\bor\b")
_MOST = 40
"""A list with more members is no answer."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The relation of two answers by their values, and the share of the reply's that holds, 0 to 1.

    The relation ``open`` leaves the decision to the judge, even where the words are equal.
    """

    relation: str
    share: float

    @property
    def decides(self) -> bool:
        """Whether the judge need not be asked."""
        return self.relation != OPEN


def decide(claim: str, known: str, question: str = "") -> Decision | None:
    """Compare two answers by their values; None where they have none to compare.

    Args:
        claim: the reply's answer.
        known: the knowledge's answer.
        question: the question that both answer.
    """
    if claim == known:
        return None
    relation = relate_weekdays(claim, known)
    listed = None if relation else _of_lists(claim, known)
    if listed and listed.share == 1.0:
        return listed
    relation = relation or relate(claim, known, question)
    if listed and relation in {DIFFERENT, OPEN, None}:
        return listed
    return Decision(relation, _SHARES[relation]) if relation else None


def _of_lists(claim: str, known: str) -> Decision | None:
    """Decide by the share of a claimed list's members that are among the known ones.

    It is None where the two are no lists, or where no member is shared: other words may mean the same.
    """
    if _is_one_value(claim) or _is_one_value(known):
        return None
    ours, theirs = _members(claim), _members(known)
    if len(theirs) < 2 or (len(ours) < 2 and _OR.search(normalise(known))):
        return None
    share = sum(any(_agree(member, other) for other in theirs) for member in ours) / len(ours)
    return Decision(MEMBERS if share == 1.0 else SOME_MEMBERS, share) if share else None


def _is_one_value(answer: str) -> bool:
    """Whether an answer that looks like a list is a single value, as "Monday, 4 May 2020"."""
    reading = read(answer)
    return reading is None or (
        len(_members(answer)) > 1 and len(reading.values) == 1 and not reading.rest
    )


def _members(answer: str) -> list[str]:
    """Return the members of a list; an answer that is none is its only member.

    A comma alone makes no list of two: "Paris, France" is one place.
    """
    if len(answer) > LONGEST:
        return [answer]
    plain = normalise(answer)
    parts = [part for part in _JOINED.split(plain) if part.strip()]
    listed = _LISTED.search(plain) or len(parts) > 2
    return parts if listed and 1 < len(parts) <= _MOST else [plain]


def _agree(first: str, second: str) -> bool:
    """Whether two members are the same, by their words or by their values."""
    return content_words(first) == content_words(second) or relate(first, second) in {EQUAL, WITHIN}


def relate(claim: str, known: str, question: str = "") -> str | None:
    """Return the relation of a reply's answer to that of its knowledge.

    Args:
        claim: the reply's answer.
        known: the knowledge's answer.
        question: the question that both answer.

    Returns:
        One of the relations, ``open`` where both have values and no relation is sure, or None where
        one has no value.
    """
    first, second = read(claim), read(known)
    if first is None or second is None or not first.values or not second.values:
        return None
    if normalise(claim) == normalise(known):
        return EQUAL
    if (first.rest ^ second.rest) & NEGATIONS:
        return OPEN
    first, second = _beyond(question, first), _beyond(question, second)
    asked = content_words(question)
    relation = _relate_values(first, second, question.lower(), asked)
    return relation if relation and _same_matter(relation, first, second, question, asked) else OPEN


def _beyond(question: str, answer: Reading) -> Reading:
    """Return an answer without the values of the question, unless it has no others."""
    given = read(question)
    others = tuple(value for value in answer.values if given and value not in given.values)
    return Reading(others or answer.values, answer.rest)


def _same_matter(
    relation: str, first: Reading, second: Reading, question: str, asked: frozenset[str]
) -> bool:
    """Whether the words beside the values let their relation decide."""
    claimed, known = first.rest - asked, second.rest - asked
    if relation != DIFFERENT:
        return claimed <= known
    if claimed == known:
        return True
    return not (claimed and known) and _ASKS_VALUE.search(question.lower()) is not None


def _relate_values(
    first: Reading, second: Reading, question: str, asked: frozenset[str]
) -> str | None:
    """Return the weakest relation over the values of each kind; None where one of them is unsure."""
    pairs = _paired(first.values, second.values, question)
    if pairs is None:
        return None
    relations = [_relate_two(claimed, known, asked) for claimed, known in pairs]
    if DIFFERENT in relations:
        # Of several numbers it is not sure which belong together.
        return None if len(pairs) > 1 and first.rest | second.rest else DIFFERENT
    if None in relations:
        return None
    if len(pairs) < len(first.values):
        relations.append(COMPATIBLE)
    elif len(pairs) < len(second.values):
        relations.append(WITHIN)
    return max((relation for relation in relations if relation is not None), key=_ORDER.index)


def _paired(
    first: tuple[Value, ...], second: tuple[Value, ...], question: str
) -> list[tuple[Value, Value]] | None:
    """Pair the values of the same kind in their order; None where it is unclear which belong together."""
    if len(first) == len(second) == 1:
        return [_alike(first[0], second[0], question)]
    pairs: list[tuple[Value, Value]] = []
    for kind in (Quantity, Date, Clock, Place):
        ours = [value for value in first if isinstance(value, kind)]
        theirs = [value for value in second if isinstance(value, kind)]
        if ours and theirs:
            if len(ours) != len(theirs):
                return None
            pairs += list(zip(ours, theirs, strict=True))
    return pairs or None


def _alike(first: Value, second: Value, question: str) -> tuple[Value, Value]:
    """Return two values, a bare number of four digits as what the other one is."""
    if _ASKS_NUMBER.search(question) or isinstance(first, Quantity) or isinstance(second, Quantity):
        return _as_quantity(first), _as_quantity(second)
    return first, second


def _as_quantity(value: Value) -> Value:
    if isinstance(value, Date) and value.bare and value.year is not None:
        return Quantity(value.year, value.year, 1.0, bound=value.bound)
    return value


def _relate_two(first: Value, second: Value, asked: frozenset[str]) -> str | None:
    match first, second:
        case Quantity(), Quantity():
            return compare_quantities(first, second, asked)
        case Date(), Date():
            return compare_dates(first, second)
        case Clock(), Clock():
            return compare_clocks(first, second)
        case Place(), Place():
            return _relate_places(first, second)
    return None


def _relate_places(first: Place, second: Place) -> str | None:
    if first == second:
        return EQUAL
    if not (first.bound or second.bound):
        return DIFFERENT
    bounds = {first.bound: first.number, second.bound: second.number}
    # Nothing is before the second and after the second, or later.
    apart = bounds.keys() == {"before", "after"} and bounds["before"] <= bounds["after"]
    return DIFFERENT if apart else None
