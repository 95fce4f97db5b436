"""Blocks of a reply: paragraphs, list items, headings, table rows and lists of sources.

The rules are those of Markdown as far as prose allows: a line that begins with "1986." is no list
item, an indented line is no code, and a line break after a short line ends a sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from qsquared.method.plain.markup.citations import without_citations
from qsquared.method.plain.markup.html_text import without_html
from qsquared.method.plain.markup.inline import without_marks
from qsquared.method.plain.markup.mapped import Mapped
from qsquared.method.plain.markup.symbols import without_symbols
from qsquared.method.plain.markup.tables import cells, is_table_rule

TEXT, HEADING, SOURCE, SIGNATURE, GAP = "text", "heading", "source", "sign_off", "gap"

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_QUOTE = re.compile(r"[ \t]{0,20}(?:>[ \t]{0,3}){1,20}")
_ITEM = re.compile(
    r"[ \t]{0,20}(?:[-*+•–—●▪◦‣·∙○■□►▶▸▹➤➜➔➢◆◇❖→✓✔✅☑👉🔹🔸][\ufe0f]?[ \t]{1,5}|\(?(?:\d{1,2}(?:\.\d{1,2}){0,2}[.)]|(?:[A-Za-z]|[ivx]{2,4})\)|[ivx]{1,4}\.)[ \t]{1,5}"
    r"|[①-⑳][ \t]{0,5}|[0-9]\ufe0f?\u20e3[ \t]{0,5})"
    r"(?:\[[ xX]\][ \t]{1,5})?"
)
_FRAMED = re.compile(r"[ \t]{0,3}(={2,}|-{2,})[ \t]*(?=[^\s=-])[^=\n]{1,60}?[ \t]*\1[ \t]*$")
_HASHES = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]{1,5}|$)")
_FENCE = re.compile(r"[ \t]{0,20}(?:```+|~~~+)[ \t]*[\w+-]{0,20}[ \t]*$")
_RULE = re.compile(r"[ \t]{0,3}(?:(?:[-*_=][ \t]?){3,}|[-=]{2,})[ \t]*$")
_CALLOUT = re.compile(r"\s*\[!\w{2,15}\][+-]?\s*$")
_BUTTONS = re.compile(r"\s*(?:\[[^\[\]\n]{1,40}\](?!\()[ \t]*){2,8}$")
_LEFT_BY_PROGRAM = re.compile(
    r"\s*(?:##-.{0,80}-##|:{3,}[\w -]{0,30}|\[(?:typing|voice message|image|photo|picture|attachment|sticker|gif|audio|video|file)\b[^\[\]\n]{0,60}\]|"
    r"\[\w{2,40}\([^\[\]\n]{0,200}\)\]|"
    r"<(?:media|image|audio|video|attachment|file)\b[^<>\n]{0,30}(?:omitted|attached|removed)>|ref:\S{4,60}:ref|#{3,}|[-=*_ ]{0,10}(?:begin|end) of (?:\w+ )?(?:answer|response|message|reply)\W{0,10})\s*$",
    re.IGNORECASE,
)
_EMPTY_LINES = (_FENCE, _RULE, _CALLOUT, _BUTTONS, _LEFT_BY_PROGRAM)
_TIME = re.compile(
    r"\s*(?:(?:delivered|sent|read|seen|edited|today|yesterday)(?: at)?[ ,·]{1,3})?\[?\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?\]?[\s✓✔☑️]*$",
    re.IGNORECASE,
)
"""When a message was sent, below it."""
_STAMP = re.compile(
    r"\s*\[?(?:(?:mon|tue|wed|thu|fri|sat|sun)\w*,? )?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}(?:st|nd|rd|th)?\.? [a-z]{3,9}\.?,? \d{4}|[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})"
    r"(?:,| at| [–—|·-])? ?\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]\.?m\.?)?(?: [a-z]{2,4})?\]?\s*$",
    re.IGNORECASE,
)
"""Day and time in a line above a message."""
_SMALL_LETTERS = re.compile(r"[a-z]{3}")
_CAPITALS = re.compile(r"[^a-z\d\n.!?;]*[A-Z]{2}[^a-z\d\n.!?;]*$")
_BOLD_LINE = re.compile(r"[^\w\n*]{0,8}(\*\*|__)[^*_\n]{1,80}\1\s*:?\s*$")
_WORDS_OF_HEADING = 6
_WORDS_OF_TITLE = 12
_SOFT_WRAP = 45
"""A line that goes on in the next one has at least so many characters."""
_OPEN_WORD = re.compile(
    r"\s(?:a|an|the|of|to|from|in|on|at|by|for|with|and|or|is|are|was|were|than)\s*$"
)
_SOURCE_WORDS = (
    r"(?:source\(s\)|sources?|references?|citations?)(?: (?:used|consulted|cited|documents?|files?|list))?|refs?|footnotes?|"
    r"bibliography|works cited|(?:documents?|files?|articles?) (?:used|consulted|cited|referenced)|(?:retrieved|taken) from|found in|"
    r"read more|learn more|more info(?:rmation)?|further reading|see also|"
    r"(?:related|useful|helpful|relevant)(?: articles?| links?| documents?| resources?)?"
)
_FILE = r"[\w.-]{1,80}\.(?:pdf|docx?|html?|md|txt|csv|xlsx?|pptx?|json)"
_SOURCES = re.compile(rf"[\W_]*(?:{_SOURCE_WORDS})[\W_]*(?:\(\d{{1,3}}\)[\W_]*)?", re.IGNORECASE)
_EVIDENCE = re.compile(
    r"\W{0,10}(?:evidence|supporting (?:evidence|quotes?|passages?|text))[*_ \t]{0,4}:",
    re.IGNORECASE,
)
"""The line with the evidence, below the answer."""
_SOURCE_LINE = re.compile(
    rf"[\W_]{{0,10}}(?:{_SOURCE_WORDS})[*_ \t]{{0,4}}[:：]"
    r"|\s*\[\^?\w{1,20}\]:(?:\s|$)"
    # A line of addresses or file names only, with a label before it or without.
    rf"|\W{{0,6}}(?:\w{{1,20}}(?: \w{{1,20}}){{0,2}}[:：][*_\s]{{0,4}})?<?(?:https?://[^\s<>]+|{_FILE})>?(?:[,;]? {_FILE}){{0,20}}\W*$"
    r"|\W{0,6}\[[^\]\n]{1,100}[^\].!?\n]\]\([^\s()]{1,500}\)\W*$"
    r"|\W{0,6}(?:confidence|certainty|relevance)(?: \w{1,10})?\s?[:=]\s?\S{1,12}(?:\s?[·|•,]\s?[\w ]{1,20}:\s?\S{1,12}){0,5}\W*$"
    r"|\W{0,6}last (?:updated|modified|reviewed|checked|edited)(?: on)?\s?[: ].{0,30}$"
    r"|\W{0,6}(?:tokens?(?: used)?|trace id|request id|session id)\s?[:=].{0,50}$"
    r"|\W{0,6}(?:(?:response|answer|reply) )?generated in \d.{0,20}$"
    r"|\W{0,6}powered by (?:ai|openai|chatgpt|gpt|gemini|claude|copilot|azure|intercom|zendesk|llama|mistral)\b.{0,20}$"
    rf"|\s*(?:[📄📎🔗📚📖📑🗂📃📝]\ufe0f?\s*)[^.!?\n]{{0,80}}{_FILE}(?:\s?[(,].{{0,40}})?\s*$"
    rf"|\W{{0,6}}(?:[\w'’&-]{{1,30}} ){{0,6}}{_FILE},? ?\(?(?:pp?\.|pages?|sec|§).{{0,40}}$"
    r"|\s*(?:\[\d{1,3}\]|\^\d{1,3}|[¹²³⁴-⁹]+|\d{1,2}[.)])\s*(?:https?://|[^.!?\n]{1,100}\.(?:pdf|docx?|html?|md|txt)\b|\[[^\]\n]{1,100}\]\()",
    re.IGNORECASE,
)
_NUMBERED_NOTE = re.compile(r"\s*(?:\[\^?\d{1,3}\]|\^\d{1,3}\b|[†‡¹²³⁴-⁹]+)[:.]?\s*\S[^\n]{0,200}$")
_SIGNED = re.compile(
    r"\s*(?:[~–—-]{1,2}\s?|/(?=[A-Z]\w+$))(?:(?:[A-Z][\w.'’&-]{0,30}|the|your|and|of|at|from|team|support),?(?:\s|$)){1,6}$"
)
_LINES_OF_SIGNATURE, _CHARACTERS_OF_SIGNATURE = 8, 60
_ENDED = re.compile(r"[.!?…][\"'”’)\]*_]*\s*$")
_ENDS_SENTENCE = re.compile(r"[.!?:;…][\"'”’)\]*_]*\s*$")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, item, heading or source in its plain text, or the white space between two."""

    text: Mapped
    kind: str


def blocks(text: Mapped) -> list[Block]:
    """Return the blocks of a reply or passage in order, with the white space between them."""
    found: list[Block] = []
    for block in _lines(without_html(text)):
        if block.kind == GAP:
            found.append(block)
            continue
        plain = without_symbols(without_citations(without_marks(block.text)))
        if plain.text.strip():
            found.append(Block(plain, block.kind))
    return found


def plain_text(logged: str) -> Mapped:
    """Return the plain text of a reply or passage; a text without markup is its own."""
    return Mapped.joined(block.text for block in blocks(Mapped.of(logged))).stripped()


@dataclass(slots=True)
class _Line:
    text: Mapped
    end: Mapped
    kind: str
    starts_block: bool = False
    blank: bool = False


def _lines(text: Mapped) -> Iterator[Block]:
    """Join the lines of each block."""
    open_lines: list[Mapped] = []
    kind, after = TEXT, Mapped.of("")
    last = ""
    for line in _classified(text):
        joins = (
            open_lines
            and not line.starts_block
            and not line.blank
            and line.kind == kind == TEXT
            and _goes_on(last, line.text.text)
        )
        if joins:
            open_lines += (after, line.text)
        elif line.blank:
            if open_lines:
                yield Block(Mapped.joined(open_lines), kind)
                yield Block(after, GAP)
            open_lines = []
            yield Block(Mapped.joined((line.text, line.end)), GAP)
            last, after = "", Mapped.of("")
            continue
        else:
            if open_lines:
                yield Block(Mapped.joined(open_lines), kind)
                yield Block(after, GAP)
            open_lines, kind = [line.text], line.kind
        last, after = line.text.text, line.end
    if open_lines:
        yield Block(Mapped.joined(open_lines), kind)
        yield Block(after, GAP)


def _goes_on(line: str, following: str) -> bool:
    """Whether a sentence goes on in the next line: it is not ended, and the line was full."""
    if _ENDS_SENTENCE.search(line, max(0, len(line) - 20)):
        return False
    if len(line) >= _SOFT_WRAP or _OPEN_WORD.search(line, max(0, len(line) - 12)):
        return True
    return following[:1].islower() and not line.rstrip().endswith(",")


def _classified(text: Mapped) -> Iterator[_Line]:
    """Take the marks at the beginning of each line off, and tell its kind."""
    spans = [match.span() for match in _LINE.finditer(text.text)]
    in_sources = in_signature = in_list = blank_before = False
    mixed = bool(_SMALL_LETTERS.search(text.text))
    for number, (start, end) in enumerate(spans):
        raw = text.text[start:end]
        content = raw.rstrip("\r\n")
        if content.endswith("\\") and not content.endswith("\\\\") and len(content) < len(raw):
            # A line break of Markdown.
            content = content[:-1]
        stop = start + len(content)
        ending = text.part(stop, end)
        following = text.text[slice(*spans[number + 1])] if number + 1 < len(spans) else ""
        quote = _QUOTE.match(content)
        first = quote.end() if quote else 0
        content = content[first:]
        if not content.strip():
            blank_before = True
            yield _Line(text.part(stop, stop), ending, TEXT, blank=True)
            continue
        if content.strip() == "--" and _is_signature(text.text, end):
            in_signature = True
        if (
            any(mark.match(content) for mark in _EMPTY_LINES)
            or is_table_rule(content)
            or (number == 0 and following and _STAMP.match(content))
            or (number > 0 and _TIME.match(content) and _ended_before(text.text, start))
        ):
            yield _Line(text.part(stop, stop), ending, TEXT, blank=True)
            continue
        line = text.part(start + first, stop)
        item = _ITEM.match(content)
        signed = number == len(spans) - 1 and not in_list and _SIGNED.match(content)
        if in_signature or (signed and number > 0):
            yield _Line(line, ending, SIGNATURE, starts_block=True)
            continue
        in_list = in_list or bool(item)
        ends_list = in_sources and blank_before and not (item or _SOURCE_LINE.match(content))
        if ends_list and not _NUMBERED_NOTE.match(content) and number > 0:
            in_sources = False
        blank_before = False
        if _SOURCES.fullmatch(content):
            in_sources = True
        if in_sources or _is_source(content, number):
            source = line.part(item.end() if item else 0, len(line.text))
            yield _Line(source, ending, SOURCE, starts_block=True)
            continue
        last = number == len(spans) - 1
        yield _prose(content, line, ending, following, item, lower=mixed and not last)


def _prose(
    content: str,
    line: Mapped,
    ending: Mapped,
    following: str,
    item: re.Match[str] | None,
    *,
    lower: bool,
) -> _Line:
    """Take the marks of a heading, an item or a table off.

    ``lower`` tells that a line in capitals stands out, and is not the last one.
    """
    hashes = _HASHES.match(content)
    if hashes:
        line = line.part(hashes.end(), len(line.text))
        line = cells(line)
        title = line.text.rstrip(" #")
        few = len(title.split()) <= _WORDS_OF_TITLE and not title.endswith(".")
        return _Line(line.part(0, len(title)), ending, HEADING if few else TEXT, starts_block=True)
    words = len(content.split())
    if item:
        rest = content[item.end() :]
        indent = len(content) - len(content.lstrip())
        nested = len(following) - len(following.lstrip()) > indent and bool(following.strip())
        label = nested and _BOLD_LINE.match(rest) and not _ENDED.search(rest)
        kind = HEADING if label and words <= _WORDS_OF_HEADING else TEXT
        return _Line(line.part(item.end(), len(line.text)), ending, kind, starts_block=True)
    if "|" in content and (content.strip().startswith("|") or content.strip().endswith("|")):
        kind = HEADING if is_table_rule(following.strip()) else TEXT
        return _Line(cells(line), ending, kind, starts_block=True)
    underlined = bool(following.strip()) and bool(
        re.fullmatch(r"[ \t]*(?:={3,}|-{3,})\s*", following)
    )
    bold = _BOLD_LINE.match(content) and not _ENDED.search(content) and words <= _WORDS_OF_HEADING
    capitals = lower and words <= _WORDS_OF_HEADING and _CAPITALS.match(content)
    if (
        capitals
        or _FRAMED.match(content)
        or (underlined and words <= _WORDS_OF_TITLE and not _ENDED.search(content))
        or bold
    ):
        return _Line(line, ending, HEADING, starts_block=True)
    return _Line(line, ending, TEXT)


def _ended_before(text: str, start: int) -> bool:
    """Whether the line above is a whole sentence."""
    return bool(_ENDED.search(text, max(0, start - 20), start))


def _is_signature(text: str, start: int) -> bool:
    """Whether the lines after the two dashes of an e-mail are few and short."""
    most = 2 * _LINES_OF_SIGNATURE * _CHARACTERS_OF_SIGNATURE
    lines = text[start : start + most].splitlines()
    short = all(len(line) <= _CHARACTERS_OF_SIGNATURE for line in lines)
    return short and len([line for line in lines if line.strip()]) <= _LINES_OF_SIGNATURE


def _is_source(content: str, number: int) -> bool:
    """Whether a line names a source; a reply does not begin with a numbered note."""
    if _SOURCE_LINE.match(content) or (number > 0 and _EVIDENCE.match(content)):
        return True
    return number > 0 and bool(_NUMBERED_NOTE.match(content)) and not _ENDED.search(content)
