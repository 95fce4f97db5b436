"""Round-trip filtering: keep a question if the QA model answers it on the response with the span.

Q², section 2.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qsquared.method.q2.spans import is_currency
from qsquared.method.q2.token_f1 import exact_match
from qsquared.records import Answer, Failure, ReadingRequest

VARIANTS = ("single", "multi")
"""*single* keeps the first valid question of a span by rank, *multi* every valid one."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A generated question that the filter has to decide.

    ``group`` names the span that it was generated for; candidates of one group come in the order of
    their rank.
    """

    group: tuple[str, int]
    question: str
    response: str
    span: str
    personal: bool
    beyond: bool = False
    """Whether it ranks below as many questions as are asked of a span."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The filter's decision on a candidate, with the answer on the response if it was asked for."""

    reason: str
    answer: Answer | None = None


Ask = Callable[[Sequence[ReadingRequest]], Sequence[Answer | Failure]]


def _judge(candidate: Candidate, answer: Answer) -> Outcome:
    if answer.text is None:
        return Outcome("no_answer", answer)
    if any(exact_match(span, answer.text) for span in _spellings(candidate.span)):
        return Outcome("kept", answer)
    return Outcome("mismatch", answer)


def _spellings(span: str) -> tuple[str, ...]:
    """Return a span, and an amount without its sign of money, which the reader may leave out.

    The published cleaning drops "$" from both, and no other sign.
    """
    return (span, span[1:]) if is_currency(span[0]) else (span,)


def filter_questions(
    candidates: Sequence[Candidate], ask: Ask, variant: str = "single"
) -> list[Outcome | Failure]:
    """Decide every candidate; return one outcome for each, in order.

    Personal questions are left out unasked.
    In the variant *single* the questions are asked in waves: wave k asks the k-th question of every
    span that has no valid question yet, over all responses at once; the rest is ``not_needed``.
    The outcome is that of asking one question at a time.

    Raises:
        ValueError: ``variant`` is not one of ``VARIANTS``.
    """
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant {variant!r}, expected one of {VARIANTS}")
    outcomes: list[Outcome | Failure] = [
        Outcome("personal" if c.personal else "not_needed") for c in candidates
    ]
    waiting: dict[tuple[str, int], list[int]] = defaultdict(list)
    for index, candidate in enumerate(candidates):
        if not candidate.personal and not candidate.beyond:
            waiting[candidate.group].append(index)
    while waiting:
        if variant == "single":
            wave = [indices.pop(0) for indices in waiting.values()]
        else:
            wave = [index for indices in waiting.values() for index in indices]
            waiting.clear()
        requests = [ReadingRequest(candidates[i].question, candidates[i].response) for i in wave]
        for index, answer in zip(wave, ask(requests), strict=True):
            candidate = candidates[index]
            decided = answer if isinstance(answer, Failure) else _judge(candidate, answer)
            outcomes[index] = decided
            if isinstance(decided, Outcome) and decided.reason == "kept":
                waiting.pop(candidate.group, None)
        waiting = {group: indices for group, indices in waiting.items() if indices}
    return outcomes
