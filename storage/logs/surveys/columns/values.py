"""Columns of a log, and properties of a column by its values: whether it is prose, asks, or may be knowledge.

A column has the values that units (rows, or objects of a list) have at one path.
All that a survey proposes is chosen among the columns of a log, by these properties and by comparing two columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from statistics import fmean
from typing import Any

from qsquared.storage.logs.fields.field_paths import leaves
from qsquared.storage.logs.fields.hits import without_unsent
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.fields.values import asks
from qsquared.storage.logs.surveys.columns.texts import (
    ENDS,
    WORD,
    begins_to_ask,
    ends_as_sentence,
    is_address,
    is_for_search,
    share_of,
    spaced,
    up_to_last_word,
    words,
)
from qsquared.storage.logs.vocabulary import vocabulary

Unit = Mapping[str, Any]
"""A row of a log, or an object of a list in its rows."""
NumberedUnits = Sequence[tuple[int, Unit]]
"""The units of a list, each with the number of the row or of the list that holds it."""
_V = vocabulary("survey")
USERS_ASK = 0.2
"""The share of questions among texts from which on users are among those who say them."""
_SENTENCE_WORDS = 5
"""The mean number of words from which on texts are no titles or names, even if none ends as a sentence does."""
_FEW_TEXTS = 3
"""Of fewer texts (by some rules also of as many) nothing can be said about nearly all."""


_GOES_ON = (",", ".", ";", ":", "!", "?", ")")
"""The marks before which no text begins anew."""


@dataclass
class Column:
    """The values at one path: of each unit a list of texts or scalars, which is empty where it has none."""

    path: str
    values: list[list[Any]] = field(default_factory=list)

    @cached_property
    def name(self) -> str:
        """The last name of the path."""
        return self.path.rpartition(".")[2].replace("[]", "")

    @cached_property
    def all_values(self) -> list[Any]:
        """The values of all units, one after another."""
        return [value for values in self.values for value in values]

    @cached_property
    def texts(self) -> list[str]:
        """The texts of each unit as one, empty where it has none."""
        texts = ([value for value in values if isinstance(value, str)] for values in self.values)
        return ["\n".join(of_unit).strip() for of_unit in texts]

    @cached_property
    def filled(self) -> list[str]:
        """The texts that are not blank."""
        return [text for text in self.texts if text]

    def paired(self, other: Column) -> list[tuple[str, str]]:
        """Return the text here and the text in another column of each unit that has both."""
        pairs = zip(self.texts, other.texts, strict=True)
        return [(text, its) for text, its in pairs if text and its]

    def share(self, fits: Any) -> float:
        """Return the share of the texts that fit."""
        return share_of([fits(text) for text in self.filled])

    def all_fit(self, fits: Any, least: float = 0.8) -> bool:
        """Whether at least a share of the units, by default most, have a value, and all values fit."""
        enough = len(self.all_values) >= least * len(self.values) > 0
        return enough and all(map(fits, self.all_values))

    @cached_property
    def share_filled(self) -> float:
        """The share of the units that have a text."""
        return share_of(self.texts)

    @cached_property
    def share_asking(self) -> float:
        """The share of the units with a text in which one ends as a question."""
        ends = ([up_to_last_word(str(value)) for value in values] for values in self.values)
        asking = sum(any(map(asks, of_unit)) for of_unit in ends)
        return asking / len(self.filled) if self.filled else 0.0

    @cached_property
    def share_ending(self) -> float:
        """The share of the texts that end as a sentence does."""
        return self.share(ends_as_sentence)

    @cached_property
    def mean_words(self) -> float:
        """The mean number of words of a single value."""
        texts = [value for value in self.all_values if isinstance(value, str)]
        return fmean(len(WORD.findall(spaced(text))) for text in texts) if texts else 0.0

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
    def is_single(self) -> bool:
        """Whether no unit has more than one value."""
        return all(len(values) < 2 for values in self.values)

    @cached_property
    def is_said(self) -> bool:
        """Whether the column is prose that nobody expected, one text of each unit."""
        return self.is_prose and self.is_single and not self.is_expected

    @cached_property
    def is_streamed(self) -> bool:
        """Whether units have a text in four or more short pieces, cut anywhere, as a stream of events brings it."""
        pieces = [*map(str, self.all_values)]
        many = len(pieces) >= 4 * len(self.filled) > 0 and self.mean_words < _SENTENCE_WORDS
        return many and share_of([one.rstrip().endswith(ENDS) for one in pieces]) < 0.5

    @cached_property
    def is_typed(self) -> bool:
        """Whether users type the texts: some are questions, and few of the others end as a sentence does."""
        asked = self.share_asking >= USERS_ASK or self.share(begins_to_ask) >= 2 * USERS_ASK
        return asked and self.share_ending - self.share_asking < 0.5 * (1 - self.share_asking)

    @cached_property
    def has_sentences(self) -> bool:
        """Whether the texts end as sentences or are as long, and so no titles or names; few texts must be longer."""
        few = len(self.filled) < _FEW_TEXTS
        return self.share_ending >= 0.5 or self.mean_words >= _SENTENCE_WORDS * (2 if few else 1)

    @cached_property
    def is_constant(self) -> bool:
        """Whether nearly all units have the same text, which nobody says anew each time."""
        most = max(Counter(self.filled).values(), default=0)
        return len(self.filled) > _FEW_TEXTS and most > 0.8 * len(self.filled)

    @cached_property
    def is_prose(self) -> bool:
        """Whether the values are texts that people read, and no ids, times, addresses or names of kinds."""
        # A note that a program writes again and again counts once.
        different = {*self.filled}
        worded = share_of([" " in spaced(one) and any(map(str.isalpha, one)) for one in different])
        machine = self.share(lambda text: moment_of(text) is not None or is_address(text))
        again = len(self.filled) > _FEW_TEXTS and len(different) < 0.3 * len(self.filled)
        kinds = again and self.mean_words < 6 and (self.share_asking < 0.5 or self.is_constant)
        return worded >= 0.6 and machine < 0.3 and self.mean_words >= 2 and not kinds

    def may_be_knowledge(self, reply_words: float = 0.0, *, expected: bool = False) -> bool:
        """Whether the texts may be passages of knowledge, and no titles, questions or names.

        Args:
            reply_words: the mean number of words of a reply; a passage has at least half as many.
            expected: ask for passages that a person expected, which are read only where no others are.
        """
        return (
            self.is_prose
            and not self.is_of_program
            and self.share_asking < 0.5
            and self.mean_words >= max(_SENTENCE_WORDS, 0.5 * reply_words)
            and (self.share_ending >= 0.5 or self.mean_words >= 12)
            and self.is_expected is expected
            and self.share(is_for_search) < 0.8
            and (not expected or _V["known_like"].search(self.path) is not None)
        )

    def copies(self, other: Column) -> bool:
        """Whether most texts repeat those of another column, perhaps in other markup."""
        pairs = [(words(text), words(its)) for text, its in self.paired(other)]
        long = [(own, its) for own, its in pairs if own and len(its) >= 3]
        same = [its <= own and len(own) <= 1.1 * len(its) + 1 for own, its in long]
        return len(same) >= _FEW_TEXTS and share_of(same) >= 0.8

    def holds(self, other: Column) -> bool:
        """Whether the texts hold those of another column line by line, and more."""
        longer = [(text, its) for text, its in self.paired(other) if len(its) < 0.95 * len(text)]
        held = [all(line in text for line in its.splitlines()) for text, its in longer]
        return len(longer) >= 0.5 * len(other.filled) > 0 and share_of(held) >= 0.8

    def is_made_of(self, replies: Column) -> bool:
        """Whether these are replies again, or texts within them, on which they cannot rest."""
        return self.copies(replies) or replies.holds(self)

    def is_within(self, other: Column) -> bool:
        """Whether nearly all texts stand in those of another column, as a reply's last sentence does in it."""
        return share_of([text in its for text, its in self.paired(other)]) >= 0.8

    def is_excerpt_of(self, other: Column) -> bool:
        """Whether nearly all texts have only words of another column's, as what a search marks in a text."""
        pairs = [(words(text), words(its)) for text, its in self.paired(other)]
        within = [own <= its for own, its in pairs if own and its]
        return len(within) >= _FEW_TEXTS and share_of(within) > 0.8

    def frames(self, other: Column) -> bool:
        """Whether nearly all texts hold those of another column behind the same words, as a prompt does."""
        longer = [(text, its) for text, its in self.paired(other) if len(its) < len(text)]
        holding = [(text, its) for text, its in longer if its in text]
        before = [text.partition(its)[0].rpartition("\n")[2].strip() for text, its in holding]
        alike = max(Counter(before).values(), default=0) if "" not in before else 0
        return alike >= max(_FEW_TEXTS, 0.8 * len(longer))

    def repeats_earlier(self, other: Column) -> bool:
        """Whether many texts hold a long text that another column has in one of the twelve units before.

        A prompt holds what was said before in its conversation; no person repeats 60 characters.
        """
        repeated = []
        for place, text in enumerate(self.texts):
            earlier = other.texts[max(0, place - 12) : place]
            if text:
                repeated.append(any(60 <= len(its) < len(text) and its in text for its in earlier))
        return share_of(repeated) >= 0.3

    def is_picked_from(self, lists: Column) -> bool:
        """Whether the texts stand in the lists of another column, but not last, as passages do among others."""
        picked = [text in values for text, values in self._beside_lists(lists)]
        return share_of(picked) >= 0.8 and not self.is_last_of(lists)

    def is_last_of(self, lists: Column) -> bool:
        """Whether the texts stand last in the lists of another column, as a reply does among what steps gave."""
        last = [text == values[-1] for text, values in self._beside_lists(lists)]
        return share_of(last) >= 0.8

    def joins(self, lists: Column) -> bool:
        """Whether nearly all texts were put together from the texts that another column lists."""
        pairs = self._beside_lists(lists)
        joined = [all(str(value).strip() in text for value in values) for text, values in pairs]
        return self.is_single and share_of(joined) >= 0.8

    def _beside_lists(self, lists: Column) -> list[tuple[str, list[Any]]]:
        """Return the texts with the lists of their units, where both are; nothing of a column without lists."""
        pairs = zip(self.texts, lists.values, strict=True)
        return [] if lists.is_single else [(own, its) for own, its in pairs if own and its]

    def is_choice_of(self, other: Column) -> bool:
        """Whether the values of nearly all units are some of another column's, and of many not all."""
        pairs = [({*a}, {*b}) for a, b in zip(self.values, other.values, strict=True) if a and b]
        chosen = share_of([own <= its for own, its in pairs]) >= 0.8
        return chosen and share_of([own < its for own, its in pairs]) >= 0.3


def columns_of(units: Sequence[Unit]) -> dict[str, Column]:
    """Return the columns of units by their paths; hits that no model was given have no values."""
    columns: dict[str, Column] = {}
    for number, unit in enumerate(units):
        for path, value in leaves(without_unsent(unit)):
            if path not in columns:
                columns[path] = Column(path, [[] for _ in units])
            if value is not None and value != "":
                columns[path].values[number].append(value)
    return columns


def within(path: str, columns: Mapping[str, Column]) -> list[Column]:
    """Return the columns in the object at a path; none of the rows themselves."""
    return [one for where, one in columns.items() if path and where.startswith(f"{path}.")]


def in_one(column: Column, glue: str | None = None) -> Column:
    """Return a column with the texts of each unit as one, as those of the parts of a message."""
    glue = glue_of(column) if glue is None else glue
    values = [[glue.join(map(str, held))] if held else [] for held in column.values]
    return Column(column.path, values)


def glue_of(column: Column) -> str:
    """Return what joins the texts of a unit: nothing if they were cut at blanks or marks, else a line break."""
    cuts = [pair for held in column.values for pair in pairwise(map(str, held))]
    inside = (a[-1:].isspace() or b[:1].isspace() or b.startswith(_GOES_ON) for a, b in cuts)
    return "" if cuts and all(inside) else "\n"
