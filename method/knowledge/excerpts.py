"""The parts of the knowledge that a question is read on, and the passage whose answer is taken."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from qsquared.method.knowledge.evidence import Sentences, choose_sentences, sentences_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qsquared.records import Answer

QUESTION_WORDS = 100
"""Words of knowledge that a question is read on first; docs/decisions/0036 has what was measured."""

_EMPTY = (
    "a the of in on at to for from by with and or is are was were be do does did "
    "what which who when where how it"
)
"""Words of questions that tell nothing of the sentence that answers."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Sentences of a passage as one text.

    ``passage`` is the passage's number; ``begins`` has where each run of sentences begins in the text,
    and ``places`` where it begins in the passage.
    """

    passage: int
    text: str
    begins: tuple[int, ...] = (0,)
    places: tuple[int, ...] = (0,)

    def in_passage(self, start: int, end: int) -> tuple[int, int]:
        """Return the place of an answer in the passage; it ends where its run of sentences ends."""
        run = bisect_right(self.begins, start) - 1
        last = run + 1 == len(self.begins)
        stop = len(self.text) if last else self.begins[run + 1] - len(_BETWEEN)
        shift = self.places[run] - self.begins[run]
        return start + shift, min(end, stop) + shift


_BETWEEN = " "


def divide(
    question: str, knowledge: Sequence[str], words: int | None
) -> tuple[list[Excerpt], list[Excerpt]]:
    """Return the excerpts that a question is read on first, and those for where these do not answer it.

    Args:
        question: it shares rare words with the sentence that answers it.
        knowledge: its passages.
        words: how many words are read first. All is read at once with ``None``, of knowledge that has
            no more, and of one with a longer sentence, such as a table.
    """
    whole = [Excerpt(number, passage) for number, passage in enumerate(knowledge)]
    if words is None:
        return whole, []
    index = sentences_of(tuple(knowledge))
    if sum(index.lengths) <= words or max(index.lengths) > words:
        return whole, []
    chosen = choose_sentences(index, question, words, frozenset(_EMPTY.split()))
    rest = sorted(set(range(len(index.places))).difference(chosen))
    return _excerpts(index, knowledge, chosen), _excerpts(index, knowledge, rest)


def _excerpts(index: Sentences, knowledge: Sequence[str], chosen: Iterable[int]) -> list[Excerpt]:
    """Return the text of some sentences by passage; those that follow each other are one run."""
    excerpts = []
    for passage, indices in groupby(chosen, key=lambda i: index.places[i][0]):
        begins: list[int] = []
        places: list[int] = []
        text, end, last = "", 0, -1
        for i in indices:
            _, start, stop = index.places[i]
            if begins and i == last + 1:
                text += knowledge[passage][end:stop]
            else:
                text += _BETWEEN if begins else ""
                begins.append(len(text))
                places.append(start)
                text += knowledge[passage][start:stop]
            end, last = stop, i
        excerpts.append(Excerpt(passage, text, tuple(begins), tuple(places)))
    return excerpts


def best_passage(answers: Sequence[Answer]) -> tuple[int, Answer]:
    """Return the passage whose answer stands out most against its own no-answer choice.

    This is the SQuAD 2.0 rule over windows, applied to passages; ties go to the earlier one.
    """
    return max(
        enumerate(answers),
        key=lambda item: (
            item[1].text is not None,
            item[1].windows > 0,
            item[1].score - item[1].no_answer_score,
            -item[0],
        ),
    )
