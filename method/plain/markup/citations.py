"""Citation marks in replies, of every usual kind: brackets by what stands in them, and raised marks."""

import re

from qsquared.method.plain.markup.dress import pattern, words
from qsquared.method.plain.markup.mapped import Edit, Mapped

_NAME = re.compile(r"[A-Z][\w &'’-]{1,60}")
_TRIGGERS = frozenset("【\ue200[(<^{#\\*¹²³⁰⁴⁵⁶⁷⁸⁹†‡:⁽〔〖⟦［①②③④⑤⑥⑦⑧⑨")
_BETWEEN = re.compile(r"\s*(?:[,;&]|and)?\s*")
"""Stands between two marks of one citation."""
_AT_END = re.compile(r"[.!?,;:]*\s*$|[.!?]+\s|[.!?]|\s?\(\d")
_LAST_WORD = re.compile(r"[^\W\d_]{3,}$")
_SQUARED = frozenset(words("squared"))
_CLOSING = frozenset(".!?,;:\"')”’")


def without_citations(text: Mapped) -> Mapped:
    """Return a paragraph without its citation marks and the white space before them."""
    if _TRIGGERS.isdisjoint(text.text) and "turn" not in text.text:
        return text
    marks = [match.span() for match in pattern("mark").finditer(text.text)]
    brackets = pattern("brackets").finditer(text.text)
    marks += [match.span() for match in brackets if _cites(match, text.text)]
    raised = {match.span(): match for match in pattern("raised").finditer(text.text)}
    cited: list[tuple[int, int]] = []
    for start, end in sorted({*marks, *raised}):
        if cited and start < cited[-1][1]:
            continue
        beside = bool(cited) and bool(_BETWEEN.fullmatch(text.text, cited[-1][1], start))
        match = raised.get((start, end))
        if match and not _is_raised(match, text.text) and not (beside and match["superscript"]):
            continue
        if beside:
            cited[-1] = (cited[-1][0], end)
        else:
            cited.append((start, end))
    return text.edited(removed(text.text, cited))


def removed(text: str, spans: list[tuple[int, int]]) -> list[Edit]:
    """Remove spans together with the white space before them, or after them at the beginning."""
    edits: list[Edit] = []
    done = 0
    for first, past in spans:
        start, end = done + len(text[done:first].rstrip(" \t")), past
        if start == 0:
            end = len(text) - len(text[end:].lstrip(" \t"))
        edits.append((start, end, ""))
        done = end
    return edits


def _cites(match: re.Match[str], text: str) -> bool:
    """Whether brackets cite, by what stands in them; the interval [0, 1] and "option (2)" do not."""
    kind, start, end = match.lastgroup or "", *match.span()
    if pattern(f"in_{kind}").fullmatch(match[kind]):
        return True
    if kind == "curly" or not _AT_END.match(text, end):
        return False
    if pattern(f"at_end_in_{kind}").fullmatch(match[kind]):
        counted = match[kind][0].isdigit()
        return not (counted and pattern("part").search(text, max(0, start - 20), start))
    last = not text[end:].strip() and text[:start].rstrip().endswith((".", "!", "?"))
    return kind == "square" and last and bool(_NAME.fullmatch(match[kind]))


def _is_raised(match: re.Match[str], text: str) -> bool:
    """Whether a raised number cites; "x^2" and "km²" do not."""
    if not (match["raised"] or match["superscript"]):
        return True
    start = match.start()
    if text[start - 1 : start] in _CLOSING:
        return start > 0
    if match.group() == "\u00b9" and text[start - 1 : start].isalnum():
        # Nobody writes a first power.
        return not text[match.end() : match.end() + 1].isalnum()
    word = _LAST_WORD.search(text, max(0, start - 40), start)
    return word is not None and word.group().lower() not in _SQUARED
