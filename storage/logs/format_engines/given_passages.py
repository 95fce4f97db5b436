"""Passages of a trace that a model was given: in a reranker's order, without those dropped on the way."""

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from qsquared.storage.logs.fields.hits import found_nothing
from qsquared.storage.logs.fields.objects import Passage
from qsquared.storage.logs.format_engines.span_fields import KNOWS, TraceSpan

_BEGIN, _SHORT = 60, 20
"""The characters by which a passage is known in a prompt, which may shorten it; and those that stand anywhere."""
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt])")


def distinct_of(placed: Iterable[tuple[int, Passage]]) -> list[tuple[int, Passage]]:
    """Return passages with their places, each text once, where it stands first."""
    kept: dict[str, tuple[int, Passage]] = {}
    for place, passage in placed:
        kept.setdefault(passage["text"], (place, passage))
    return list(kept.values())


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


def reranked_of(
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


def handed_over(
    known: list[tuple[int, Passage]], prompts: str, *, reranked: bool
) -> list[tuple[int, Passage]]:
    """Return the passages that stand in the prompts of models, or all of them if those are not told for sure.

    What stands in no prompt beside others that do was dropped on the way: by a reranker, or if most of them stand in
    one. Signs, blanks and escapes may differ.
    """
    plain = _plain(prompts)
    texts = [_plain(one["text"])[:_BEGIN] for _, one in known]
    given = [
        pair for pair, text in zip(known, texts, strict=True) if len(text) < _SHORT or text in plain
    ]
    sure = any(len(text) >= _SHORT and text in plain for text in texts)
    return given if sure and (reranked or 2 * len(given) > len(known)) else known


def _plain(text: str) -> str:
    """Return the letters and digits of a text, also of one that is escaped as in JSON or HTML."""
    unescaped = _ESCAPED.sub(
        lambda one: chr(int(one[1], 16)) if one[1] else " ", html.unescape(text)
    )
    return "".join(filter(str.isalnum, unescaped))
