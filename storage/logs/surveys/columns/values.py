"""Columns of a log by what their values are: prose, questions, names of roles, and shared words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean
from typing import Any

from qsquared.storage.logs.fields.field_paths import leaves
from qsquared.storage.logs.fields.hits import without_unsent
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.fields.values import asks
from qsquared.storage.logs.surveys.columns.texts import (
    ADDRESS,
    ENDS,
    WORD,
    begins_to_ask,
    is_index,
    said_in,
    share_of,
    spaced,
    words,
)
from qsquared.storage.logs.vocabulary import vocabulary

Unit = Mapping[str, Any]
Held = Sequence[tuple[int, Unit]]
"""The units of a list, each with the number of its row or of the list within it."""
_V = vocabulary("survey")
SOME_ASK = 0.2
"""The share of questions among texts from which on a user is among those who say them."""
_LEAST_WORDS = 5
"""The mean length from which on texts are no titles or names, even if none ends as a sentence does."""
_FEW, _NEARLY = 3, 0.8
_PIECES = 4
"""The mean number of pieces of a text from which on it was streamed."""
_LONG, _BEFORE, _SOME_REPEAT = 60, 12, 0.3
"""The characters of a text that is repeated by nobody but a program, the units in which that is looked for, and
the share of a column's texts that then repeat another's."""


@dataclass
class Column:
    """The values at one path of the units of a level: of each unit a list of texts or scalars."""

    path: str
    values: list[list[Any]] = field(default_factory=list)

    @cached_property
    def name(self) -> str:
        """The last name of the path."""
        return self.path.rpartition(".")[2].replace("[]", "")

    @cached_property
    def each(self) -> list[Any]:
        """The values of all units, one after another."""
        return [one for held in self.values for one in held]

    @cached_property
    def texts(self) -> list[str]:
        """The values of each unit as one text."""
        texts = ((one for one in held if isinstance(one, str)) for held in self.values)
        return ["\n".join(held).strip() for held in texts]

    @cached_property
    def filled(self) -> list[str]:
        """The texts that are not blank."""
        return [text for text in self.texts if text]

    def paired(self, other: Column) -> list[tuple[str, str]]:
        """Return the texts of the units that have one here and in another column."""
        return [(a, b) for a, b in zip(self.texts, other.texts, strict=True) if a and b]

    def share(self, fits: Any) -> float:
        """Return the share of the texts that fit."""
        return share_of([fits(text) for text in self.filled])

    @cached_property
    def given(self) -> float:
        """The share of the units that have a text."""
        return share_of(self.texts)

    @cached_property
    def is_expected(self) -> bool:
        """Whether the column is named like what a person expected or annotated."""
        return _V["never"].search(self.path) is not None

    @cached_property
    def is_of_program(self) -> bool:
        """Whether the column is named like what was searched for, or like why something failed."""
        return _V["of_program"].fullmatch(self.name) is not None

    @cached_property
    def is_remark(self) -> bool:
        """Whether the column is named like a thought, a draft or a summary of what is said."""
        return _V["remark"].search(self.path) is not None

    @cached_property
    def is_said(self) -> bool:
        """Whether the column is prose that nobody expected, one text of each unit."""
        return self.is_prose and self.is_single and not self.is_expected

    @cached_property
    def length(self) -> float:
        """The mean number of words of a single value."""
        single = [one for one in self.each if isinstance(one, str)]
        return fmean(len(WORD.findall(spaced(one))) for one in single) if single else 0.0

    @cached_property
    def is_single(self) -> bool:
        """Whether no unit has more than one value."""
        return all(len(one) < 2 for one in self.values)

    @cached_property
    def is_streamed(self) -> bool:
        """Whether units have a text in many short pieces, cut anywhere, as a stream of events brings it."""
        pieces = [*map(str, self.each)]
        many = len(pieces) >= _PIECES * len(self.filled) > 0 and self.length < _LEAST_WORDS
        return many and share_of([one.rstrip().endswith(ENDS) for one in pieces]) < 0.5

    @cached_property
    def asks(self) -> float:
        """The share of units of which a text ends as a question."""
        asking = [any(asks(said_in(str(one))) for one in held) for held in self.values]
        return sum(asking) / len(self.filled) if self.filled else 0.0

    @cached_property
    def ends(self) -> float:
        """The share of texts that end as a sentence does."""
        return self.share(lambda text: said_in(text).endswith(ENDS))

    @cached_property
    def is_typed(self) -> bool:
        """Whether users type the texts: some are questions, and few of the others end as a sentence does."""
        asked = self.asks >= SOME_ASK or self.share(begins_to_ask) >= 2 * SOME_ASK
        return asked and self.ends - self.asks < 0.5 * (1 - self.asks)

    @cached_property
    def has_sentences(self) -> bool:
        """Whether the texts are as long as sentences or end as such, and no titles or names; of few texts, surely."""
        least = _LEAST_WORDS if len(self.filled) >= _FEW else 2 * _LEAST_WORDS
        return self.ends >= 0.5 or self.length >= least

    @cached_property
    def is_constant(self) -> bool:
        """Whether nearly all units have the same text, which nobody says anew each time."""
        most = max(Counter(self.filled).values(), default=0)
        return len(self.filled) > _FEW and most > _NEARLY * len(self.filled)

    @cached_property
    def is_prose(self) -> bool:
        """Whether the values are texts that people read, and no ids, times, addresses or names of kinds."""
        # A note that a program writes again and again counts once.
        told = {*self.filled}
        spoken = share_of([" " in spaced(one) and any(map(str.isalpha, one)) for one in told])
        machine = self.share(lambda text: moment_of(text) is not None or ADDRESS.fullmatch(text))
        few = len(self.filled) > _FEW and len(set(self.filled)) < 0.3 * len(self.filled)
        repeated = few and self.length < 6 and (self.asks < 0.5 or self.is_constant)
        return spoken >= 0.6 and machine < 0.3 and self.length >= 2 and not repeated

    def all_fit(self, fits: Any, least: float = 0.8) -> bool:
        """Whether at least a share of the units, by default most, have a value, and all values fit."""
        return len(self.each) >= least * len(self.values) > 0 and all(map(fits, self.each))

    def is_known(self, replies: float, *, expected: bool = False) -> bool:
        """Whether these may be texts of knowledge, and no titles, questions or names.

        Args:
            replies: the mean number of words of a reply.
            expected: ask for passages that a person expected, which are read only where no others are.
        """
        return (
            self.is_prose
            and not self.is_of_program
            and self.asks < 0.5
            and self.length >= max(_LEAST_WORDS, 0.5 * replies)
            and (self.ends >= 0.5 or self.length >= 12)
            and self.is_expected is expected
            and self.share(is_index) < _NEARLY
            and (not expected or _V["known_like"].search(self.path) is not None)
        )

    def is_made_of(self, replies: Column) -> bool:
        """Whether these are replies again, or texts within them, on which they cannot rest."""
        return self.copies(replies) or replies.holds(self)

    def is_picked(self, several: Column) -> bool:
        """Whether the texts stand in the lists of texts that their units have, as passages do among others."""
        pairs = zip(self.texts, several.values, strict=True)
        found = [text in held for text, held in pairs if text and held]
        picked = not several.is_single and share_of(found) >= _NEARLY
        return picked and not self.is_last_of(several)

    def is_last_of(self, several: Column) -> bool:
        """Whether the texts stand last in the lists of nearly all units, as a reply does among what steps gave."""
        pairs = zip(self.texts, several.values, strict=True)
        found = [text == held[-1] for text, held in pairs if text and held]
        return not several.is_single and share_of(found) >= _NEARLY

    def is_choice_of(self, other: Column) -> bool:
        """Whether the values of nearly all units are some of another column's, and of many not all."""
        pairs = [({*a}, {*b}) for a, b in zip(self.values, other.values, strict=True) if a and b]
        chosen = share_of([a <= b for a, b in pairs]) >= _NEARLY
        return chosen and share_of([a < b for a, b in pairs]) >= _SOME_REPEAT

    def is_within(self, other: Column) -> bool:
        """Whether nearly all texts stand in those of another column, as a reply's last sentence does in it."""
        return share_of([a in b for a, b in self.paired(other)]) >= _NEARLY

    def holds(self, other: Column) -> bool:
        """Whether the texts hold those of another column, and more."""
        pairs = [(a, b) for a, b in self.paired(other) if len(b) < 0.95 * len(a)]
        held = [all(line in a for line in b.splitlines()) for a, b in pairs]
        return len(pairs) >= 0.5 * len(other.filled) > 0 and share_of(held) >= _NEARLY

    def frames(self, other: Column) -> bool:
        """Whether nearly all texts hold those of another column behind the same words, as a prompt does."""
        pairs = [(a, b) for a, b in self.paired(other) if len(b) < len(a)]
        before = [a.partition(b)[0].rpartition("\n")[2].strip() for a, b in pairs if b in a]
        alike = max(Counter(before).values(), default=0) if "" not in before else 0
        return alike >= max(_FEW, _NEARLY * len(pairs))

    def joins(self, several: Column) -> bool:
        """Whether nearly all texts were put together from the texts that another column lists."""
        pairs = [(a, b) for a, b in zip(self.texts, several.values, strict=True) if a and b]
        found = [all(str(one).strip() in text for one in held) for text, held in pairs]
        return self.is_single and not several.is_single and share_of(found) >= _NEARLY

    def repeats(self, other: Column) -> bool:
        """Whether many texts hold what another column says in a unit before, as prompts do of a conversation."""
        found = []
        for n, text in enumerate(self.texts):
            before = other.texts[max(0, n - _BEFORE) : n] if text else []
            repeated = (one in text for one in before if _LONG <= len(one) < len(text))
            found += [any(repeated)] if text else []
        return share_of(found) >= _SOME_REPEAT

    def is_excerpt(self, other: Column) -> bool:
        """Whether nearly all texts have no word that another column's do not, as what a search marks in a text."""
        pairs = [(words(a), words(b)) for a, b in self.paired(other)]
        found = [a <= b for a, b in pairs if a and b]
        return len(found) >= _FEW and share_of(found) > _NEARLY

    def copies(self, other: Column) -> bool:
        """Whether most texts repeat those of another column, perhaps in other markup."""
        pairs = [(words(a), words(b)) for a, b in self.paired(other)]
        same = [b <= a and len(a) <= 1.1 * len(b) + 1 for a, b in pairs if a and len(b) >= _FEW]
        return len(same) >= _FEW and share_of(same) >= _NEARLY


def columns(units: Sequence[Unit]) -> dict[str, Column]:
    """Return the columns of units by their paths, with an empty list where a unit has no value.

    Hits that no model was given have no values.
    """
    made: dict[str, Column] = {}
    for number, unit in enumerate(units):
        for path, value in leaves(without_unsent(unit)):
            if path not in made:
                made[path] = Column(path, [[] for _ in units])
            if value is not None and value != "":
                made[path].values[number].append(value)
    return made
