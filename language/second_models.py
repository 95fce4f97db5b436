"""Two models that play one role: a judge pooled with another, a reader that asks a larger one."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.language.judging.nli import NliJudge
from qsquared.language.running.neural import NeuralModel
from qsquared.method.knowledge.evidence import pooled
from qsquared.records import Answer, InferenceRequest, Judgement, ReadingRequest

Model = TypeVar("Model", bound=NeuralModel[Any])


class TwoModels(Generic[Model]):
    """A model and a second one; both are loaded together."""

    def __init__(self, first: Model, second: Model) -> None:
        self.first, self.second = first, second

    def load(self) -> None:
        """Load both models.

        Raises:
            ModelError: one cannot be loaded.
        """
        self.first.load()
        self.second.load()


class PooledJudge(TwoModels[NliJudge]):
    """Two judges, whose judgements of a request are pooled by a weighted geometric mean.

    A small judge errs elsewhere than a large one, so both together are right more often than either
    (docs/decisions/0048).

    Args:
        first: the judge whose weights and labels count for most.
        second: another one.
        share: how much the second counts, 0 to 1; the first counts for the rest.
    """

    def __init__(self, first: NliJudge, second: NliJudge, share: float) -> None:
        super().__init__(first, second)
        self._weights = (1 - share, share)

    @property
    def identity(self) -> str:
        """The identities of both judges and how much each counts.

        Raises:
            ModelError: a checkpoint is not there.
        """
        return f"{self.first.identity} pooled {self._weights[1]} with {self.second.identity}"

    def judge(self, requests: Sequence[InferenceRequest]) -> list[Judgement]:
        """Judge each request by both, and pool what they say.

        Raises:
            ModelError: a model cannot be loaded, or gives a logit that is not finite.
            MemoryError: not even one row fits in memory.
        """
        both = zip(self.first.judge(requests), self.second.judge(requests), strict=True)
        return [pooled(judgements, self._weights) for judgements in both]

    def forget(self) -> None:
        """Read every pair again, as a benchmark has to that asks twice."""
        self.first.forget()
        self.second.forget()


class CascadedAnswers(TwoModels[ExtractiveAnswers]):
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
        super().__init__(first, second)
        self._margin = margin

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
