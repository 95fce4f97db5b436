"""Passages of a trace that a model was given: in a reranker's order, without those dropped on the way."""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from qsquared.storage.logs.fields.field_paths import first_at, first_of_each
from qsquared.storage.logs.fields.hits import found_nothing
from qsquared.storage.logs.fields.objects import Passage, distinct
from qsquared.storage.logs.format_engines.span_fields import KNOWS, REPLIES, TraceSpan, timestamp
from qsquared.storage.logs.messages.parts import documents_beside
from qsquared.storage.logs.messages.replies import Reply

_BEGIN, _SHORT = 60, 20
"""The characters by which a passage is known in a prompt, which may shorten it; and those that stand anywhere."""
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt])")


def _distinct_of(placed: Iterable[tuple[int, Passage]]) -> list[tuple[int, Passage]]:
    """Return passages with their places, each text once, where it stands first."""
    return first_of_each(placed, lambda pair: pair[1]["text"])


def kept_of(
    spans: Sequence[TraceSpan],
    around: Sequence[Sequence[int]],
    brought: Sequence[Sequence[Passage]],
) -> list[Sequence[Passage]]:
    """Return the passages that each span brought; none of a search within another one that chose among them.

    Args:
        spans: the spans of a trace.
        around: the places of the spans that enclose each.
        brought: the passages of each.
    """
    texts = [{one["text"] for one in own} for own in brought]

    def chose(outer: int, inner: int) -> bool:
        searches = spans[outer].kind == spans[inner].kind == KNOWS
        return searches and (
            texts[outer] <= texts[inner] if texts[outer] else found_nothing(spans[outer].output)
        )

    return [
        () if own and any(chose(outer, n) for outer in around[n]) else own
        for n, own in enumerate(brought)
    ]


def _reranked_of(
    spans: Sequence[TraceSpan], known: list[tuple[int, Passage]]
) -> list[tuple[int, Passage]]:
    """Return the passages in the order of rerankers, without those that one left out of what was found before it."""
    places, texts = [place for place, _ in known], [one["text"] for _, one in known]
    found = dict(zip(texts, places, strict=True))
    left_out: set[str] = set()
    last = -1
    order: list[str] = []
    for n, span in enumerate(spans):
        ranked = [one["text"] for one in span.passages] if span.reranks else []
        order += ranked
        chosen = set(ranked)
        none = span.reranks and not chosen and found_nothing(span.output)
        if none or (chosen and all(found[text] <= n for text in chosen)):
            before = texts[bisect_right(places, last) : bisect_left(places, n)]
            # What one search leaves out may be chosen of the next.
            left_out = (left_out | set(before)) - chosen
            last = n
    kept = [pair for pair, text in zip(known, texts, strict=True) if text not in left_out]
    ranks = {text: rank for rank, text in enumerate(order)}
    return sorted(kept, key=lambda pair: ranks.get(pair[1]["text"], len(ranks)))


def _handed_over(
    known: list[tuple[int, Passage]], prompts: str, *, reranked: bool
) -> list[tuple[int, Passage]]:
    """Return the passages that stand in the prompts of models, or all of them if those are not told for sure.

    What stands in no prompt beside others that do was dropped on the way: by a reranker, or if most of them stand in
    one. Signs, blanks and escapes may differ.
    """
    plain = _plain(prompts)
    texts = [_plain(one["text"])[:_BEGIN] for _, one in known]
    pairs = zip(known, texts, strict=True)
    given = [one for one, text in pairs if len(text) < _SHORT or text in plain]
    sure = any(len(text) >= _SHORT and text in plain for text in texts)
    return given if sure and (reranked or 2 * len(given) > len(known)) else known


def _plain(text: str) -> str:
    """Return the letters and digits of a text, also of one that is escaped as in JSON or HTML."""
    told = _ESCAPED.sub(lambda one: chr(int(one[1], 16)) if one[1] else " ", html.unescape(text))
    return "".join(filter(str.isalnum, told))


@dataclass(frozen=True)
class Request:
    """The spans of a trace that may have served a reply, in the order of their starts.

    Each has what it was asked and the passages that it brought.
    """

    served: Sequence[tuple[TraceSpan, Reply, Sequence[Passage]]]

    def of(self, numbers: Sequence[int]) -> Request:
        """Return some of the spans."""
        return Request([self.served[n] for n in numbers])

    @cached_property
    def starts(self) -> list[float]:
        """The times at which the spans start, in seconds."""
        return [timestamp(span.start) for span, *_ in self.served]

    @cached_property
    def texts(self) -> int:
        """The number of texts that a reply may be stored with."""
        asked = (len(one.history) + len(one.knowledge) for _, one, _ in self.served)
        return sum(asked) + sum(len(own) for *_, own in self.served)

    @cached_property
    def found(self) -> list[tuple[int, Passage]]:
        """The distinct passages that spans brought, without names of these, each with the place of its span."""
        known = _distinct_of((n, one) for n, (*_, own) in enumerate(self.served) for one in own)
        names = {one[key] for _, one in known for key in one.keys() - {"text"}}
        texts = [pair for pair in known if len(pair[1]) > 1 or pair[1]["text"] not in names]
        spans = [span for span, *_ in self.served]
        reranked = any(span.reranks for span in spans)
        return _handed_over(_reranked_of(spans, texts), self._prompts, reranked=reranked)

    @cached_property
    def _prompts(self) -> str:
        """All that models were asked, in one text."""
        models = (span for span, *_ in self.served if span.kind == REPLIES)
        asked = [one for span in models for one in span.asked]
        found = (passage["text"] for one in asked for passage in one.passages)
        return "\n".join([*(one.text for one in asked), *found])

    @cached_property
    def prompted(self) -> list[tuple[int, Passage, str]]:
        """The distinct passages in the prompts of models, which repeat them, with the mark that tells them apart."""
        asked = [one for _, one, _ in self.served]
        models = [n for n, (span, *_) in enumerate(self.served) if span.kind == REPLIES]
        held = _distinct_of((n, passage) for n in models for passage in asked[n].knowledge)
        return [(n, passage, asked[n].mark) for n, passage in held]

    @cached_property
    def given(self) -> list[Passage]:
        """The passages that functions were called with."""
        return distinct(one for span, *_ in self.served for one in _given(span))

    def brings(self, number: int) -> bool:
        """Whether a span has any text of a passage or a question."""
        span, asked, own = self.served[number]
        return bool(own or asked.history or asked.knowledge or _given(span))

    @cached_property
    def histories(self) -> dict[str, list[str]]:
        """The longest history that a model received with each question, and under an empty text the longest of all."""
        longest: dict[str, list[str]] = {}
        for span, asked, _ in self.served:
            for question in ("", *asked.history[-1:]) if span.kind == REPLIES else ():
                longest[question] = max(longest.get(question, []), asked.history, key=len)
        return longest


def _given(span: TraceSpan) -> list[Passage]:
    return documents_beside(first_at(span.fields, ("input", "inputs")))
