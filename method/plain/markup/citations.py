"""Citation marks in replies, of every usual kind."""

import re

from qsquared.method.plain.markup.inline import removed
from qsquared.method.plain.markup.mapped import Mapped

_FILE = r"\.(?:pdf|docx?|html?|md|txt|csv|xlsx?|pptx?|json)\b"
_SOURCE = r"doc(?:ument)?|source|src|ref(?:erence)?|cit(?:ation)?|passage|chunk|context|page|note|fn|kb|faq|article|section|result|web|search"
_MARK = re.compile(
    r"【[^【】\n]{0,200}】"
    # The marks of ChatGPT, in characters of private use.
    r"|\ue200[^\ue201]{0,300}\ue201"
    r"|:contentReference\[oaicite:[^\]\n]{0,20}\](?:\{[^}\n]{0,40}\})?"
    r"|\[\^[^\[\]\s]{1,30}\]"
    r"|(?P<numbers>\[\[?\^?\d{1,3}(?:[\s,;–-]{1,3}\d{1,3}){0,20}\]\]?)"
    rf"|\[(?:{_SOURCE})s?[\s_#.:-]{{0,3}}[A-Za-z]?\d{{1,5}}[^\[\]\n]{{0,80}}\]"
    r"|\[(?:sources?|refs?|references?|see|via|citations?)\b[^\[\]\n]{0,120}\]"
    r"|\[\d{1,3}\s?[†‡|:][^\[\]\n]{0,80}\]"
    r"|\[\d{1,3},\s?(?:pp?\.|§|sec)[^\[\]\n]{0,40}\]"
    rf"|\[[^\[\]\n]{{0,100}}{_FILE}[^\[\]\n]{{0,60}}\]"
    rf"|\([^()\n]{{0,100}}{_FILE}[^()\n]{{0,60}}\)"
    r"|[\[(]\s?(?:see:?\s|via\s|source:\s)?https?://[^\s\[\]()]{1,300}\s?[\])]"
    r"|\((?:(?:sources?|refs?|references?|citations?)\b\s?[:.#]|source\s|cf\.|see\s(?:also\s)?(?=[\"'“]|our\b|the\b|"
    r"docs?\b|source|section|article|page|help)|according\sto\s|as\sper\s|per\sour\s|from\sour\s|via\sour\s)"
    r"(?:[^()\n]|\([^()\n]{0,60}\)){0,200}\)"
    rf"|\((?:doc|document|source|ref|passage|chunk|page|pp?\.)s?\.?\s?#?[A-Za-z]?\d{{1,4}}[^()\n]{{0,40}}\)"
    r"|(?P<raised>\^\[?\d{1,3}(?:,\d{1,3}){0,10}\]?\^?(?!\w))"
    r"|(?P<superscript>[¹²³⁰⁴-⁹]+(?:[,˒][¹²³⁰⁴-⁹]+)*)"
    r"|(?<=[\w.!?,;:])[†‡]{1,3}",
    re.IGNORECASE,
)
_TRIGGERS = frozenset("【\ue200[(^¹²³⁰⁴⁵⁶⁷⁸⁹†‡:")
_INTERVAL = re.compile(r"\[0[,;\s]")
_LAST_WORD = re.compile(r"[^\W\d_]{3,}$")
_SQUARED = frozenset(
    [
        "feet",
        "foot",
        "inch",
        "inches",
        "mile",
        "miles",
        "metre",
        "metres",
        "meter",
        "meters",
        "yard",
        "yards",
    ]
)
_CLOSING = frozenset(".!?,;:\"')”’")


def without_citations(text: Mapped) -> Mapped:
    """Return a paragraph without its citation marks and the white space before them."""
    if _TRIGGERS.isdisjoint(text.text):
        return text
    found = [match.span() for match in _MARK.finditer(text.text) if _cites(match, text.text)]
    return text.edited(removed(text.text, found))


def _cites(match: re.Match[str], text: str) -> bool:
    """Whether a mark cites; "x^2", "km²" and the interval [0, 1] do not."""
    if match.group("numbers"):
        return not _INTERVAL.match(match.group())
    if match.group("raised") or match.group("superscript"):
        start = match.start()
        if text[start - 1 : start] in _CLOSING:
            return start > 0
        if match.group() == "\u00b9" and text[start - 1 : start].isalnum():
            # Nobody writes a first power.
            return not text[match.end() : match.end() + 1].isalnum()
        word = _LAST_WORD.search(text, max(0, start - 40), start)
        return word is not None and word.group().lower() not in _SQUARED
    return True
