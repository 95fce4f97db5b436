"""Citation marks in replies, of every usual kind."""

import re

from qsquared.method.plain.markup.inline import removed
from qsquared.method.plain.markup.mapped import Mapped

_FILE = r"\.(?:pdf|docx?|html?|md|txt|csv|xlsx?|pptx?|json)\b"
_SOURCE = r"doc(?:ument)?|source|src|ref(?:erence)?|cit(?:ation)?|passage|chunk|context|page|note|fn|kb|faq|article|section|result|web|search|id|item|file|evidence|snippet|excerpt"
_PLACE = (
    r"(?:pp?\.|pages?|§§?|sec(?:tion|\.)|ch(?:apter|\.)|art(?:icle|\.)|para(?:graph|\.)|clause)"
)
_TITLE = (
    r"(?:[A-Z][\w'’&-]{0,30}\s){0,4}(?:[Gg]uide|[Hh]andbook|[Pp]olicy|FAQs?|[Mm]anual|[Aa]rticle|[Ww]ebsite|"
    r"[Dd]ocumentation|[Bb]rochure|[Hh]elp\s?[Cc]ent(?:re|er)|[Kk]nowledge\s[Bb]ase|Wikipedia)"
)
_MARK = re.compile(
    r"【[^【】\n]{0,200}】"
    # Marks within brackets: "([1], [2])".
    r"|\(\s?\[\^?\d{1,3}\](?:[\s,;]{0,3}\[\^?\d{1,3}\]){0,20}\s?\)|%\[\d{1,3}\]%"
    r"|\[cite_start\]|\[/?cite(?::[^\[\]\n]{0,60})?\]|\[oaicite:[^\[\]\n]{0,20}\](?:\{[^}\n]{0,40}\})?"
    r"|[\[(]?(?:cite)?(?:turn\d{1,3}(?:search|file|view|news|fetch|image|academia|product)\d{1,3}){1,9}[\])]?"
    r"|\{{1,2}(?:cite|source|ref|doc)\s?:[^{}\n]{0,60}\}{1,2}"
    # The next question that a search service suggests.
    r"|<<[^<>\n]{3,200}\?>>"
    # "[S1]", "[web:1]", "[KB-1042]", "[#3]", "(KB0012345)".
    r"|\[(?!\d)[A-Za-z]{0,6}[:_#-]?\d{1,8}\]|\((?:KB|FAQ|DOC|ART|REF|HC)[-\s#]?\d{2,10}\)"
    r"|\[[¹²³⁰⁴-⁹]+\]|⁽[¹²³⁰⁴-⁹]+⁾|[〔〖⟦［]\d{1,3}[^〕〗⟧］\n]{0,40}[〕〗⟧］]|(?<=[\w.!?])\s?[①-⑳]+"
    rf"|(?-i:[\[(](?:[Ss]ee\s|[Ff]rom\s)?(?:the\s|our\s)?{_TITLE}(?:,\s\d{{4}})?[\])])(?=[.!?]*\s*$|[.!?]+\s)"
    rf"|\((?:(?:help|support|knowledge\sbase)\s)?(?:articles?|documents?|docs?|guides?|faqs?|sources?)\s#?\d{{1,6}}\)"
    r"|\((?:as\s)?(?:stated|mentioned|described|noted|found|outlined|listed|specified)\s(?:in|on|by)\s[^()\n]{1,80}\)"
    r"|\((?:edited|(?:retrieved|accessed|last\supdated)\s[^()\n]{1,40})\)|\^\[\d{1,3}\]"
    # The initials of whoever answered.
    r"|(?-i:(?<=[.!?])\s\^[A-Z][A-Za-z]{1,2}(?=\s*$))"
    # The marks of ChatGPT, in characters of private use.
    r"|\ue200[^\ue201]{0,300}\ue201"
    r"|:contentReference\[oaicite:[^\]\n]{0,20}\](?:\{[^}\n]{0,40}\})?"
    r"|\[\^[^\[\]\s]{1,30}\]"
    r"|(?P<numbers>\[\[?\^?\d{1,3}(?:[\s,;–-]{1,3}\d{1,3}){0,20}\]\]?)"
    rf"|\[(?:{_SOURCE})s?[\s_#.:-]{{0,3}}[A-Za-z]?\d{{1,5}}[^\[\]\n]{{0,80}}\]"
    r"|\[(?:sources?|refs?|references?|see|via|citations?)\b[^\[\]\n]{0,120}\]"
    r"|\[\d{1,3}\s?[†‡|:][^\[\]\n]{0,80}\]"
    r"|\[\d{1,3},\s?(?:pp?\.|§|sec)[^\[\]\n]{0,40}\]"
    # "[Employee Handbook, p. 12]", "(see the guide, sec. 4.2)", "(§ 4)".
    rf"|[\[(](?:[^\[\]()\n]{{1,80}},\s?)?{_PLACE}\s?\d[\w.]{{0,8}}(?:[,;–-][^\[\]()\n]{{0,30}})?[\])]"
    r"|\((?:[^()\n]{1,60}\s)?et al\b[^()\n]{0,60}\)"
    r"|\[[a-z]\](?=[.!?,;:]*\s*$|[.!?])"
    r"|\{{1,2}\d{1,3}\}{1,2}|\#\#\d{1,3}\$\$|~?\\cite[tp]?\*?(?:\[[^\[\]\n]{0,40}\]){0,2}\{[^{}\n]{1,80}\}"
    r"|(?P<counted>\(\d{1,2}(?:\s?[,;–-]\s?\d{1,2}){0,8}\))(?=[.!?]*\s*$|[.!?]+\s|\s?\(\d)"
    # "[Help Centre]" after a sentence, identifiers, the file of an answer, and how sure a bot is.
    r"|(?<=[.!?])\s?\[[A-Z][\w &'’-]{1,60}\](?=\s*$)|[\[(][0-9a-f]{6,}(?:-[0-9a-f]{2,12}){1,5}[\])]|<\d{1,2}>(?=[.!?]*\s*$)"
    r"|\((?:doc(?:ument)?|file|article|kb|chunk|id|confidence|certainty|relevance|score)\s?:[^()\n]{1,80}\)"
    rf"|\[[^\[\]\n]{{0,100}}{_FILE}[^\[\]\n]{{0,60}}\]"
    rf"|\([^()\n]{{0,100}}{_FILE}[^()\n]{{0,60}}\)"
    r"|[\[(]\s?(?:see:?\s|via\s|source:\s)?https?://[^\s\[\]()]{1,300}\s?[\])]"
    r"|\((?:(?:sources?|refs?|references?|citations?)\b\s?[:.#]|source\s|cf\.|see\s(?:also\s)?(?=[\"'“]|our\b|the\b|"
    r"docs?\b|source|section|article|page|help)|according\sto\s|as\sper\s|per\sour\s|from\sour\s|via\sour\s)"
    r"(?:[^()\n]|\([^()\n]{0,60}\)){0,200}\)"
    rf"|\((?:doc|document|source|ref|passage|chunk|page|pp?\.)s?\.?\s?#?[A-Za-z]?\d{{1,4}}[^()\n]{{0,40}}\)"
    r"|(?P<raised>\^\[?\d{1,3}(?:,\d{1,3}){0,10}\]?\^?(?!\w))"
    r"|(?P<superscript>[¹²³⁰⁴-⁹]+(?:[,˒][¹²³⁰⁴-⁹]+)*)"
    r"|(?<=[\w.!?,;:])[†‡]{1,3}|(?<=[A-Za-z.!?,)])\*(?=\s|$)",
    re.IGNORECASE,
)
_TRIGGERS = frozenset("【\ue200[(<^{#\\*¹²³⁰⁴⁵⁶⁷⁸⁹†‡:⁽〔〖⟦［①②③④⑤⑥⑦⑧⑨")
_PART = re.compile(
    r"\b(?:paragraph|clause|section|article|step|option|rule|item|group|type|level|class|phase|part|note|question|"
    r"chapter|form|table|figure|number|no|grade|category|stage|version|season|episode|volume)s?\.?\s$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*(?:[,;&]|and)?\s*")
"""Stands between two marks of one citation."""
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
    if _TRIGGERS.isdisjoint(text.text) and "turn" not in text.text:
        return text
    found: list[tuple[int, int]] = []
    for match in _MARK.finditer(text.text):
        start, end = match.span()
        beside = bool(found) and bool(_BETWEEN.fullmatch(text.text, found[-1][1], start))
        if not _cites(match, text.text) and not (beside and match.group("superscript")):
            continue
        if beside:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return text.edited(removed(text.text, found))


def _cites(match: re.Match[str], text: str) -> bool:
    """Whether a mark cites; "x^2", "km²" and the interval [0, 1] do not."""
    if match.group("numbers"):
        return not _INTERVAL.match(match.group())
    if match.group("counted"):
        return not _PART.search(text, max(0, match.start() - 20), match.start())
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
