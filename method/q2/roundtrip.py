"""Round-trip filtering: keep a question if the QA model answers it on the response with the span.

Q², section 2.
Beyond the paper, at most N spans of a sentence need a valid question: the most telling ones are
asked about first, and no others once N have one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from qsquared.method.q2.spans import is_currency
from qsquared.method.q2.token_f1 import exact_match
from qsquared.records import Answer, Failure, ReadingRequest

VARIANTS = ("single", "multi")
"""*single* keeps the first valid question of a span by rank, *multi* every valid one."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a question among those of its sentence.

    ``sentence`` is (pair, sentence number), ``start`` and ``end`` are the span's offsets, and the
    span with the lowest ``priority`` is asked about first.
    A ``last_resort`` is asked after all other questions of the sentence.
    """

    sentence: tuple[str, int]
    start: int
    end: int
    priority: tuple[int, ...]
    last_resort: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A generated question that the filter has to decide.

    ``group`` is its span as (pair, span number); candidates of one group come in the order of their
    rank.
    """

    group: tuple[str, int]
    question: str
    response: str
    span: str
    personal: bool
    beyond: bool = False
    """Whether its rank is beyond `questions_per_span`: it is never asked."""
    place: Place | None = None
    """Needed with ``per_sentence``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The filter's decision on a candidate, with the answer on the response if it was asked for."""

    reason: str
    answer: Answer | None = None


Ask = Callable[[Sequence[ReadingRequest]], Sequence[Answer | Failure]]
_Order = tuple[bool, tuple[int, ...], tuple[str, int]]


@dataclass(slots=True)
class _SpanQueue:
    """The questions of one span that are still to be asked, by their indices."""

    place: Place
    waiting: list[int]

    def overlaps(self, other: "_SpanQueue") -> bool:
        """Whether both ask about some of the same words."""
        return self.place.start < other.place.end and other.place.start < self.place.end


@dataclass(slots=True)
class _Queues:
    """The queues of a sentence's spans in order, and the number of valid spans still wanted.

    Without ``per_sentence`` each span has a `_Queues` of its own.
    """

    queues: list[_SpanQueue]
    wanted: int

    def ready(self) -> Iterator[_SpanQueue]:
        """Yield the spans that can be asked about now.

        If n more valid spans are wanted, the first n queues will be asked whatever happens, so they
        can be asked together.
        A span that overlaps an earlier one waits, because that one's success would drop it.
        """
        first = self.queues[: self.wanted]
        for position, queue in enumerate(first):
            if not any(queue.overlaps(earlier) for earlier in first[:position]):
                yield queue

    def note(self, queue: _SpanQueue, *, is_valid: bool) -> None:
        """Remove a valid span and those that overlap it, or a span without a question left."""
        if is_valid:
            self.wanted -= 1
            self.queues = [q for q in self.queues if q is not queue and not q.overlaps(queue)]
        elif not queue.waiting:
            self.queues.remove(queue)


def _decide(candidate: Candidate, answer: Answer) -> Outcome:
    if answer.text is None:
        return Outcome("no_answer", answer)
    if any(exact_match(span, answer.text) for span in _spellings(candidate.span)):
        return Outcome("kept", answer)
    return Outcome("mismatch", answer)


def _spellings(span: str) -> tuple[str, ...]:
    """Return a span, and an amount also without its sign of money, which the reader may leave out.

    The published cleaning drops "$", and no other sign.
    """
    return (span, span[1:]) if is_currency(span[0]) else (span,)


def filter_questions(
    candidates: Sequence[Candidate],
    ask: Ask,
    variant: str = "single",
    per_sentence: int | None = None,
) -> list[Outcome | Failure]:
    """Return the outcome of each candidate, in order.

    Personal questions are not asked.
    In the variant *single* the questions of a span are asked until one is valid; the rest is
    ``not_needed``.
    With ``per_sentence`` the spans of a sentence are asked about by priority until so many have a
    valid question; no span is asked about that overlaps one of these.
    The questions are asked in waves over all responses: a wave asks the next question of every span
    that will be asked about whatever happens, so the outcome is that of asking one by one.

    Raises:
        ValueError: ``variant`` is not one of ``VARIANTS``.
    """
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant {variant!r}, expected one of {VARIANTS}")
    outcomes: list[Outcome | Failure] = [
        Outcome("personal" if c.personal else "not_needed") for c in candidates
    ]
    unfinished = _queues(candidates, per_sentence)
    while unfinished:
        wave: list[tuple[_Queues, _SpanQueue, list[int]]] = []
        for queues in unfinished:
            for queue in queues.ready():
                count = 1 if variant == "single" else len(queue.waiting)
                wave.append((queues, queue, queue.waiting[:count]))
                del queue.waiting[:count]
        asked = [index for _, _, indices in wave for index in indices]
        requests = [ReadingRequest(candidates[i].question, candidates[i].response) for i in asked]
        for index, answer in zip(asked, ask(requests), strict=True):
            decided = answer if isinstance(answer, Failure) else _decide(candidates[index], answer)
            outcomes[index] = decided
        for queues, queue, indices in wave:
            queues.note(queue, is_valid=any(is_kept(outcomes[index]) for index in indices))
        unfinished = [queues for queues in unfinished if queues.queues and queues.wanted]
    return outcomes


def is_kept(outcome: Outcome | Failure) -> bool:
    """Whether a question is valid: the answer on the response is its span."""
    return isinstance(outcome, Outcome) and outcome.reason == "kept"


def _queues(candidates: Sequence[Candidate], most: int | None) -> list[_Queues]:
    """Return the spans' queues by sentence; without a limit (``most``) each is alone."""
    queues: dict[tuple[str, int], dict[_Order, _SpanQueue]] = defaultdict(dict)
    for index, candidate in enumerate(candidates):
        if candidate.personal or candidate.beyond:
            continue
        place = candidate.place
        if most is None or place is None:
            place = Place(candidate.group, 0, 0, ())
        order = (place.last_resort, place.priority, candidate.group)
        queues[place.sentence].setdefault(order, _SpanQueue(place, [])).waiting.append(index)
    return [
        _Queues([by_order[key] for key in sorted(by_order)], 1 if most is None else most)
        for by_order in queues.values()
    ]
