"""Citation marks in replies, of every usual kind: brackets by what stands in them, and raised marks."""

# ruff: noqa: PLR0911  # each case has its return

import re

from qsquared.method.plain.markup.dress import patterns, words
from qsquared.method.plain.markup.mapped import Edit, Mapped

_IN_BRACKETS, _IN_SQUARE, _IN_ROUND = map(patterns, ("in_brackets", "in_square", "in_round"))
_TITLE = re.compile(
    r"(?:[Ss]ee\s|[Ff]rom\s)?(?:the\s|our\s)?(?:[A-Z][\w'’&-]{0,30}\s){0,4}(?:[Gg]uide|[Hh]andbook|[Pp]olicy"
    r"|FAQs?|[Mm]anual|[Aa]rticle|[Ww]ebsite|[Dd]ocumentation|[Bb]rochure|[Hh]elp\s?[Cc]ent(?:re|er)"
    r"|[Kk]nowledge\s[Bb]ase|Wikipedia)(?:,\s\d{4})?"
)
"""The title of a document, which cites at the end of a sentence."""
_NUMBERS = re.compile(r"\[?\^?\d{1,3}(?:[\s,;–-]{1,3}\d{1,3}){0,20}\]?")
_COUNTED = re.compile(r"\d{1,2}(?:\s?[,;–-]\s?\d{1,2}){0,8}")
_NAME = re.compile(r"[A-Z][\w &'’-]{1,60}")
_GROUP = re.compile(
    r"\^?\[\[?(?P<square>[^\[\]\n]{1,200})\]\]?(?:\{[^}\n]{0,40}\})?"
    r"|\((?P<round>(?:[^()\n]|\([^()\n]{0,60}\)){1,250})\)|\{{1,2}(?P<curly>[^{}\n]{1,60})\}{1,2}"
)
_MARK = re.compile(
    r"【[^【】\n]{0,200}】|%\[\d{1,3}\]%|<<[^<>\n]{3,200}\?>>|\ue200[^\ue201]{0,300}\ue201"
    r"|(?:cite)?(?:turn\d{1,3}(?:search|file|view|news|fetch|image|academia|product)\d{1,3}){1,9}"
    r"|:contentReference(?=\[oaicite)|⁽[¹²³⁰⁴-⁹]+⁾|[〔〖⟦［]\d{1,3}[^〕〗⟧］\n]{0,40}[〕〗⟧］]",
)
_RAISED = re.compile(
    r"(?P<raised>\^\[?\d{1,3}(?:,\d{1,3}){0,10}\]?\^?(?!\w))|(?P<superscript>[¹²³⁰⁴-⁹]+(?:[,˒][¹²³⁰⁴-⁹]+)*)"
    r"|(?<=[\w.!?])\s?[①-⑳]+|(?<=[\w.!?,;:])[†‡]{1,3}|(?<=[A-Za-z.!?,)])\*(?=\s|$)|<\d{1,2}>(?=[.!?]*\s*$)"
    r"|##\d{1,3}\$\$|(?<=[.!?])\s\^[A-Z][A-Za-z]{1,2}(?=\s*$)"
)
_LATEX = re.compile(r"~?\\cite[tp]?\*?(?:\[[^\[\]\n]{0,40}\]){0,2}\{[^{}\n]{1,80}\}")
_TRIGGERS = frozenset("【\ue200[(<^{#\\*¹²³⁰⁴⁵⁶⁷⁸⁹†‡:⁽〔〖⟦［①②③④⑤⑥⑦⑧⑨")
_PART = re.compile(
    r"\b(?:paragraph|clause|section|article|step|option|rule|item|group|type|level|class|phase|part|note|question"
    r"|chapter|form|table|figure|number|no|grade|category|stage|version|season|episode|volume)s?\.?\s$",
    re.IGNORECASE,
)
"""Words before a number in brackets that is part of a name: "option (2)"."""
_BETWEEN = re.compile(r"\s*(?:[,;&]|and)?\s*")
"""Stands between two marks of one citation."""
_INTERVAL = re.compile(r"\[0[,;\s]")
_AT_END = re.compile(r"[.!?,;:]*\s*$|[.!?]+\s|[.!?]|\s?\(\d")
_LAST_WORD = re.compile(r"[^\W\d_]{3,}$")
_SQUARED = frozenset(words("squared"))
_CLOSING = frozenset(".!?,;:\"')”’")


def without_citations(text: Mapped) -> Mapped:
    """Return a paragraph without its citation marks and the white space before them."""
    if _TRIGGERS.isdisjoint(text.text) and "turn" not in text.text:
        return text
    marks = [match.span() for match in _MARK.finditer(text.text)]
    marks += [match.span() for match in _GROUP.finditer(text.text) if _cites(match, text.text)]
    marks += [match.span() for match in _LATEX.finditer(text.text)]
    raised = {match.span(): match for match in _RAISED.finditer(text.text)}
    found: list[tuple[int, int]] = []
    for start, end in sorted({*marks, *raised}):
        if found and start < found[-1][1]:
            continue
        beside = bool(found) and bool(_BETWEEN.fullmatch(text.text, found[-1][1], start))
        match = raised.get((start, end))
        if match and not _is_raised(match, text.text) and not (beside and match["superscript"]):
            continue
        if beside:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return text.edited(removed(text.text, found))


def removed(text: str, spans: list[tuple[int, int]]) -> list[Edit]:
    """Remove spans together with the white space before them, or after them at the beginning."""
    edits: list[Edit] = []
    done = 0
    for first, past in spans:
        start, end = first, past
        while start > done and text[start - 1] in " \t":
            start -= 1
        if start == 0:
            while end < len(text) and text[end] in " \t":
                end += 1
        edits.append((start, end, ""))
        done = end
    return edits


def _cites(match: re.Match[str], text: str) -> bool:
    """Whether brackets cite, by what stands in them; the interval [0, 1] and "option (2)" do not."""
    inside = match["square"] or match["round"] or match["curly"]
    at_end = _AT_END.match(text, match.end()) is not None
    if match["curly"]:
        return bool(re.fullmatch(r"\d{1,3}|(?:cite|source|ref|doc)\s?:.*", inside, re.IGNORECASE))
    if at_end and _TITLE.fullmatch(inside):
        return True
    if match["square"]:
        if _NUMBERS.fullmatch(inside):
            return not _INTERVAL.match(match.group())
        last = not text[match.end() :].strip() and text[: match.start()].rstrip().endswith(
            (".", "!", "?")
        )
        if (last and _NAME.fullmatch(inside)) or (at_end and len(inside) == 1 and inside.isalpha()):
            return True
        return any(one.fullmatch(inside) for one in (*_IN_SQUARE, *_IN_BRACKETS))
    if _COUNTED.fullmatch(inside):
        return at_end and not _PART.search(text, max(0, match.start() - 20), match.start())
    return any(one.fullmatch(inside) for one in (*_IN_ROUND, *_IN_BRACKETS))


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
