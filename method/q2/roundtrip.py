"""Round-trip filtering: keep a question if the QA model answers it on the response with the span.

Q², section 2.
Beyond the paper, a sentence may have a number of spans that are enough: the most telling ones are
asked about first, and no others once so many have a valid question.
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

    ``sentence`` names it, ``start`` and ``end`` are the span's offsets, and the span with the lowest
    ``priority`` is asked about first.
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
    place: Place | None = None
    """Needed where a sentence has a limit."""


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
class _Sentence:
    """The queues of a sentence's spans in order, and the number of valid spans still wanted."""

    queues: list[_SpanQueue]
    wanted: int

    def ready(self) -> Iterator[_SpanQueue]:
        """Yield the queues that are asked whatever the answers to the others are.

        Of so many first queues as are wanted each would be asked even if all before it were valid,
        unless it asks about the same words as one of these.
        """
        first = self.queues[: self.wanted]
        for position, queue in enumerate(first):
            if not any(queue.overlaps(earlier) for earlier in first[:position]):
                yield queue

    def note(self, queue: _SpanQueue, *, is_valid: bool) -> None:
        """Remove a span that has a valid question or no other one, and in the first case its overlaps."""
        if is_valid:
            self.wanted -= 1
            self.queues = [q for q in self.queues if q is not queue and not q.overlaps(queue)]
        elif not queue.waiting:
            self.queues.remove(queue)


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
    candidates: Sequence[Candidate],
    ask: Ask,
    variant: str = "single",
    per_sentence: int | None = None,
) -> list[Outcome | Failure]:
    """Decide every candidate; return one outcome for each, in order.

    Personal questions are left out unasked.
    In the variant *single* the questions of a span are asked until one is valid; the rest is
    ``not_needed``.
    With ``per_sentence`` the spans of a sentence are asked about by priority until so many have a
    valid question; no span is asked about that overlaps one of these.
    The questions are asked in waves, over all responses at once: a wave asks the next question of
    every span that is asked about whatever the other answers are, so the outcome is that of asking one at a time.

    Raises:
        ValueError: ``variant`` is not one of ``VARIANTS``.
    """
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant {variant!r}, expected one of {VARIANTS}")
    outcomes: list[Outcome | Failure] = [
        Outcome("personal" if c.personal else "not_needed") for c in candidates
    ]
    sentences = _sentences(candidates, per_sentence)
    while sentences:
        wave: list[tuple[_Sentence, _SpanQueue, list[int]]] = []
        for sentence in sentences:
            for queue in sentence.ready():
                count = 1 if variant == "single" else len(queue.waiting)
                wave.append((sentence, queue, queue.waiting[:count]))
                del queue.waiting[:count]
        asked = [index for _, _, indices in wave for index in indices]
        requests = [ReadingRequest(candidates[i].question, candidates[i].response) for i in asked]
        for index, answer in zip(asked, ask(requests), strict=True):
            decided = answer if isinstance(answer, Failure) else _judge(candidates[index], answer)
            outcomes[index] = decided
        for sentence, queue, indices in wave:
            sentence.note(queue, is_valid=any(is_kept(outcomes[index]) for index in indices))
        sentences = [s for s in sentences if s.queues and s.wanted]
    return outcomes


def is_kept(outcome: Outcome | Failure) -> bool:
    """Whether a question is valid: the answer on the response is its span."""
    return isinstance(outcome, Outcome) and outcome.reason == "kept"


def _sentences(candidates: Sequence[Candidate], most: int | None) -> list[_Sentence]:
    """Return the spans' queues by sentence; without a limit each span is a sentence of its own."""
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
        _Sentence([by_order[key] for key in sorted(by_order)], 1 if most is None else most)
        for by_order in queues.values()
    ]
