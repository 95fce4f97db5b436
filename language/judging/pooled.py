"""A judge of entailment that pools the judgements of two."""

from collections.abc import Sequence

from qsquared.language.judging.nli import NliJudge
from qsquared.method.knowledge.evidence import pooled
from qsquared.records import InferenceRequest, Judgement


class PooledJudge:
    """Two judges, whose judgements of a request are pooled by a weighted geometric mean.

    A small judge errs elsewhere than a large one, so both together are right more often than either
    (docs/decisions/0048).

    Args:
        first: the judge whose weights and labels count for most.
        second: another one.
        share: how much the second counts, 0 to 1; the first counts for the rest.
    """

    def __init__(self, first: NliJudge, second: NliJudge, share: float) -> None:
        self.first, self.second = first, second
        self._weights = (1 - share, share)

    @property
    def identity(self) -> str:
        """The identities of both judges and how much each counts.

        Raises:
            ModelError: a checkpoint is not there.
        """
        return f"{self.first.identity} pooled {self._weights[1]} with {self.second.identity}"

    def load(self) -> None:
        """Load both judges.

        Raises:
            ModelError: one cannot be loaded.
        """
        self.first.load()
        self.second.load()

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
