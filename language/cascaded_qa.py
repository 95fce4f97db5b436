"""A cascade of two readers: a larger one reads the knowledge where a small one is unsure."""

from collections.abc import Sequence

from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.records import Answer, ReadingRequest


class CascadedAnswers:
    """Two readers: the first reads replies and knowledge, the second the knowledge where the first was unsure.

    A reading is unsure where its best span and no answer score within ``margin`` of each other.
    The round trip asks the first reader only: on a sentence or two of a reply it errs no more often
    than the second (docs/decisions/0052).

    Args:
        first: the reader that reads everything.
        second: a larger one.
        margin: a difference of scores, in logits of the first reader.
    """

    def __init__(self, first: ExtractiveAnswers, second: ExtractiveAnswers, margin: float) -> None:
        self.first, self.second = first, second
        self._margin = margin

    def load(self) -> None:
        """Load both readers.

        Raises:
            ModelError: one cannot be loaded.
        """
        self.first.load()
        self.second.load()

    @property
    def name(self) -> str:
        """The first reader's name in error messages."""
        return self.first.name

    @property
    def identity(self) -> str:
        """The identities of both readers and the margin.

        Raises:
            ModelError: a checkpoint is not there.
        """
        second = self.second.identity
        return f"{self.first.identity} where unsure by {self._margin:g} {second}"

    def answer(self, requests: Sequence[ReadingRequest]) -> list[Answer]:
        """Answer each request by the first reader.

        Raises:
            ModelError: it cannot be loaded, or gives a logit that is not finite.
            MemoryError: not even one window fits in memory.
        """
        return self.first.answer(requests)

    def answer_on_knowledge(self, requests: Sequence[ReadingRequest]) -> list[Answer]:
        """Answer each request by the first reader, and by the second where the first is unsure.

        Raises:
            ModelError: a model cannot be loaded, or gives a logit that is not finite.
            MemoryError: not even one window fits in memory.
        """
        answers = self.first.answer(requests)
        unsure = [number for number, answer in enumerate(answers) if self._is_unsure(answer)]
        again = self.second.answer([requests[number] for number in unsure])
        for number, answer in zip(unsure, again, strict=True):
            answers[number] = answer
        return answers

    def _is_unsure(self, answer: Answer) -> bool:
        # What was not read at all (no window) is not read by a larger reader either.
        return answer.windows > 0 and abs(answer.score - answer.no_answer_score) < self._margin
