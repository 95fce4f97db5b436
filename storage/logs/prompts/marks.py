"""Marks of a prompt: tags, headings, rules between parts, questions and instructions.

Each search takes time in proportion to the text, whatever the text holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BLOCKS = (
    "contexts?|documents|docs|knowledge|sources|passages|search_results|results|retrieved_context|"
    "retrieved_documents|knowledge_base|background|references?|excerpts|articles|chunks"
)
"""Names of the elements that hold passages."""

_THINGS = (
    r"contexts?|retrieved context|context information|knowledge(?: base)?|documents?|"
    r"(?:retrieved|relevant) (?:documents?|passages?|information|context|articles?)|passages?|sources?|"
    r"search results|background(?: information)?|reference material|references|excerpts|articles|facts|information|"
    r"kontext(?:informationen)?|wissensbasis|dokumente|quellen|contexte|contexto|fuentes|documentos"
)
_HEADING = re.compile(
    r"[ \t]*(?:[#*=\[\-]{1,6}[ \t]*)?(?:(?:the|these|this|here (?:are|is)|some|provided|following|given|relevant|use|known|verified|useful|company|our|begin(?:ning)?(?: of)?|start(?: of)?)[ \t]+){0,4}"
    rf"(?:{_THINGS})(?:[ \t]+(?:is|are)(?:[ \t]+\w+)?[ \t]+below|[ \t]+(?:from|for|about|in|on|to)\b[^:\n]{{0,60}})?"
    r"[ \t]*(?P<end>[*#=\-\]]{0,6}:[*]{0,2}|[*#=\-\]]{0,6}\.?[ \t]*$)[ \t]*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:context|knowledge|knowledge base|documents|passages|sources|excerpts|information|articles|search results)\b[^.\n]{0,60}:[ \t]*$",
    re.IGNORECASE,
)
_PIECES = re.compile(r"\bpieces of\b.{0,40}\bcontext\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"\b(?:contexts?|documents?|passages?|sources?|information|excerpts|articles|results|knowledge|background|"
    r"references?|facts|material|kontext\w*|wissensbasis|dokumente|quellen|contexte|contexto|fuentes|documentos)\b",
    re.IGNORECASE,
)
_DECORATED = re.compile(r"[ \t]*(?:[=*#-]{2,6}[^=*#\n]{1,80}[=*#-]{2,6}|\[[^\[\]\n]{1,80}\])[ \t]*")
LEVEL = re.compile(r"[ \t]*(#{1,6})[ \t]+")
RULE = re.compile(r"^[ \t]*(?:-{3,}|={3,}|\*{3,}|#{3,}|`{3,}|\"{3})[ \t]*$\n?", re.MULTILINE)
NUMBERED = re.compile(
    r"^[ \t]*(?:\[(?:(?:doc(?:ument)?|source|passage|chunk|context)[ \t_-]*)?#?(\d{1,3})\]|"
    r"\(?\b(?:doc(?:ument)?|source|passage|chunk|context|excerpt|result|"
    r"article(?=[ \t]*\[|[ \t]*#?\d{1,3}[ \t]*(?:\([^()\n]{1,120}\)[ \t]*)?[:\u2013-]))"
    r"[ \t]*\[?#?(\d{1,3})\]?\)?|"
    r"#?(\d{1,3})[.)])(?:[ \t]*\([^()\n]{1,120}\))?[ \t]*(?:[:.\-\u2013][ \t]*|[ \t]+|$\n?)",
    re.IGNORECASE | re.MULTILINE,
)
LABELLED = re.compile(
    r"^[ \t]*(?:\[(?:doc(?:ument)?|source|passage|chunk|context)[ \t_-]*#?[01]\]|"
    r"(?:doc(?:ument)?|source|passage|chunk|context|excerpt|article)[ \t]+\[?#?[01]\]?(?:[ \t]*\([^()\n]{1,120}\))?[ \t]*:)",
    re.IGNORECASE | re.MULTILINE,
)
SOURCED = re.compile(
    r"^[ \t]*Source:[ \t]*([^\n]*)\n[ \t]*Content:[ \t]*", re.IGNORECASE | re.MULTILINE
)
QUESTION = re.compile(
    r"^[ \t]*(?:[#*]{1,6}[ \t]*)?(?:(?:the|current|latest)[ \t]+)?"
    r"(?:(?:user(?:'s)?|customer(?:'s)?|human|follow[- ]?up)[ \t]+)?"
    r"(?:(?:question|query|request|input|user|human|customer|message)[ \t]*[*]{0,2}:[*]{0,2}[ \t]*|(?<=# )(?:(?:user|customer)(?:'s)?[ \t]+)?(?:question|query|message)[ \t]*\n|"
    r"q[ \t]*:[ \t]*(?=[^\n]+\n+[ \t]*a[ \t]*:\s*\Z)|"
    r"(?:frage|pregunta)[ \t]*:[ \t]*|\[(?:user )?(?:question|query)\][ \t]*\n?)",
    re.IGNORECASE | re.MULTILINE,
)
ANSWER = re.compile(
    r"^[ \t]*(?:[#*]{1,6}[ \t]*)?(?:(?:helpful|your|final|standalone)[ \t]+)?"
    r"(?:answer|response|reply|assistant|ai|a(?=[ \t]*:\s*\Z))[ \t]*[*]{0,2}:[*]{0,2}[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
ENDS = re.compile(
    rf"{QUESTION.pattern}|{ANSWER.pattern}|^[ \t]*(?:[#*]{{1,6}}[ \t]*)?(?:instructions?|rules|guidelines|"
    r"chat history|conversation history|history|conversation|task|output format|format|examples?|tone)"
    r"[ \t]*[*]{0,2}:|^[ \t]*given the (?:context|above|provided)|"
    r"^[ \t]*<(?:question|query|instructions?|user_question|user_query|history)\b|^[ \t]*the above (?:is|are)\b[^\n]{0,60}$|"
    r"^[ \t]*[=*#\[-]{1,6}[ \t]*(?:/|end\b)[^\n]{0,60}$",
    re.IGNORECASE | re.MULTILINE,
)
INSTRUCTION = re.compile(
    r"\s*(?:please\b|answer\b(?![ \t]*:)|"
    r"use (?:the|only|these|this|three|at most)\b|using (?:the|only)\b|do not\b|don't\b|never\b|always\b|"
    r"if (?:you|the answer|the context|the documents|the question|the user|it is not|there is no|no )\b|"
    r"you (?:are|must|should|can|will|have|may)\b|your (?:task|job|answer|response|reply)\b|"
    r"(?:respond|reply|cite|remember|ensure|write)\b|only (?:use|answer|rely)\b|based on\b|"
    r"given (?:the|this|these)\b|keep (?:the|your|it)\b|make sure\b|end of\b|"
    r"be (?:brief|concise|polite|helpful|friendly|honest)\b|say (?:that|so|\"|')|think step)",
    re.IGNORECASE,
)
_TO_MODEL = re.compile(
    r"\s*(?:(?:answer(?![ \t]*:)|respond|cite|reply|think step|be (?:brief|concise|polite|helpful|friendly|honest)|"
    r"say (?:that|so|[\"'])|your (?:task|job|answer|response|reply)|only (?:use|answer|rely)|end of (?:the )?\w+$)\b"
    r"|(?:please|always|never|do not|don't)\s+(?:cite|answer|respond|reply)\s+(?:(?:in|with|only|using|based|from|as|by|"
    r"briefly|concisely|politely)\b|(?:to )?(?:the|all|any|this) (?:question|query|user)))",
    re.IGNORECASE,
)
_OF_MODEL = re.compile(
    r"\b(?:context|the answer|an answer|your (?:answer|response|reply)|the (?:user's )?(?:question|query)|"
    r"(?:do not|don't) know|not sure|unsure|make (?:it |things |anything |something )?up|hallucinat\w*|invent|tone|step by step)\b"
    r"|\bcit(?:e|ing|ations?)\b|\bthe user(?:'s)? (?:asks?|question|query|is asking)\b"
    r"|\b(?:these|this|above|below|provided|given|following|retrieved|only)\b[^.\n]{0,20}"
    r"\b(?:documents?|passages?|sources?|information|facts|excerpts?|articles?|snippets?|texts?)\b"
    r"|\b(?:documents|passages|sources|facts|excerpts|articles|snippets) (?:above|below)\b"
    r"|\bbe\b[^.\n]{0,40}\b(?:brief|concise|polite|helpful|friendly|honest|short)\b"
    r"|\b(?:speak|write|answer|reply|respond)\b[^.\n]{0,20}\b(?:english|german|french|spanish|deutsch|sentences?|markdown|json)\b"
    r"|\byou are (?:an?|the|(?-i:[A-Z])\w*)\b[^.\n]{0,80}\b(?:assistant|(?:chat)?bot|ai|agent|model|helper|expert)\b",
    re.IGNORECASE,
)
_PERSONA = re.compile(
    r"\s*(?:your name is\b|you(?: a|')re (?:an?|the|(?-i:[A-Z])\w*)\b[^.\n]{0,80}\b(?:assistant|(?:chat)?bot|AI|agent|model|helper|expert)\b)",
    re.IGNORECASE,
)
FAQ = re.compile(
    r"[ \t]*(?:[#*]{1,6}[ \t]*)?(?:q|question|frage|pregunta)[ \t]*\d{0,3}[ \t]*[*]{0,2}:[^\n]{1,400}\n+"
    r"[ \t]*(?:[#*]{1,6}[ \t]*)?(?:a|answer|antwort|respuesta)[ \t]*\d{0,3}[ \t]*[*]{0,2}:[*]{0,2}[ \t]*\w[^\n]*",
    re.IGNORECASE,
)
"""A question with its answer, as pages of frequent questions have them."""
_TOLD = re.compile(
    r"\b(?:answer|respond|reply|use|using|based|given|according|rely|refer)\b[^.\n]{0,60}\b(?:contexts?|documents?|passages?|"
    r"sources?|information|excerpts|articles|results|knowledge|references|facts|texts?)\b"
    r"|\b(?:context|documents|passages|sources|information|excerpts)\b[^.\n]{0,40}\byou\b[^.\n]{0,20}\banswer\b",
    re.IGNORECASE,
)
_OF_PROGRAMS = re.compile(
    r"\b(?:contexts?|kontext\w*|contexte|contexto|wissensbasis|retrieved|search results|knowledge(?: base)?|passages|excerpts|"
    r"reference material|relevant (?:documents?|passages?|articles?))\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"\b(?:I|I['\u2019](?:m|ve|d|ll)|[Mm]y|[Mm]ine|[Ii]ch|[Mm]ein\w*|[Jj]e|[Yy]o)\b"
)
_MACHINE_LISTED = re.compile(r"\s*(?:\[\{|\{\s*\"|\[(?:\w{1,12}[ _-]?)?#?\d{1,3}\]|source:[^\n]*\n[ \t]*content:)", re.IGNORECASE)  # fmt: skip
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_LONGEST_LINE = 400
_MOST = 8


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a markup, with the places of the whole and of what it holds."""

    tag: str
    attributes: str
    begin: int
    end: int
    inner: str


def elements(text: str, names: str) -> list[Element]:
    """Return the elements with one of these tags (``a|b``), none within another, in their order."""
    found: list[Element] = []
    never_closed: set[str] = set()
    place = 0
    opening = re.compile(rf"<({names})(?=[\s>])([^<>]{{0,500}})>", re.IGNORECASE)
    while match := opening.search(text, place):
        tag = match[1].lower()
        place = match.end()
        if tag in never_closed:
            continue
        closing = re.compile(rf"</{re.escape(tag)}\s{{0,8}}>", re.IGNORECASE).search(text, place)
        if closing is None:
            never_closed.add(tag)
            continue
        inner = text[match.end() : closing.start()]
        found.append(Element(tag, match[2], match.start(), closing.end(), inner))
        place = closing.end()
    return found


def paragraphs(text: str) -> list[tuple[int, int]]:
    """Return the begin and end of each part of a text that blank lines separate."""
    found: list[tuple[int, int]] = []
    begin = 0
    for blank in _BLANK_LINES.finditer(text):
        found.append((begin, blank.start()))
        begin = blank.end()
    found.append((begin, len(text)))
    return [(start, end) for start, end in found if text[start:end].strip()]


def heading_ends(text: str) -> list[tuple[int, int]]:
    """Return where each line that announces passages begins, and where its passages may begin.

    A heading of its own comes before a sentence that speaks of passages.
    """
    headings: list[tuple[int, int]] = []
    sourced = SOURCED.search(text) if "\n" in text else None
    clauses: list[tuple[int, int]] = []
    begin = tried = 0
    for line in text.split("\n"):
        end = begin + len(line)
        if sourced and begin == sourced.start():
            # The first of several passages, which names its own source.
            headings.append((begin, begin))
            break
        if len(line) <= _LONGEST_LINE and _ABOUT.search(line):
            after = past_blank(text, end)
            announced = RULE.match(text, after) or _first_of_several(text, after)
            heading = _HEADING.match(line)
            set_off = LEVEL.match(line) or _DECORATED.match(line)
            if heading and (":" in heading["end"] or announced or set_off):
                headings.append((begin, begin + heading.end()))
            elif tried < _MOST and (_CLAUSE.search(line) or announced):
                tried += 1
                clauses.append((begin, end))
            elif tried < _MOST and _PIECES.search(line):
                tried += 1
                clauses += [(begin, place) for place in _after_paragraph(text, begin)]
        begin = end + 1
    return headings[:_MOST] + clauses + _labelled(text)


def _after_paragraph(text: str, begin: int) -> list[int]:
    """Return the place after the paragraph that begins here, or of a rule within it."""
    ending = _BLANK_LINES.search(text, begin)
    rule = RULE.search(text, begin)
    if rule and (ending is None or rule.start() < ending.start()):
        return [rule.start()]
    return [ending.end()] if ending else []


def _labelled(text: str) -> list[tuple[int, int]]:
    """Return the place of the first of several passages that nothing announces (``Document 1:``)."""
    found = LABELLED.search(text)
    return (
        [(found.start(), found.start())] if found and _first_of_several(text, found.start()) else []
    )


def _first_of_several(text: str, place: int) -> bool:
    match = NUMBERED.match(text, place)
    return match is not None and next(group for group in match.groups() if group) in {"0", "1"}


def past_blank(text: str, place: int) -> int:
    """Return the place of the first character from here on that is not blank."""
    while place < len(text) and text[place] in " \t\n\r":
        place += 1
    return place


def section_end(text: str, start: int, begin: int) -> int | None:
    """Return the end of the section whose Markdown heading starts here; None without one or another."""
    level = LEVEL.match(text, start)
    if level is None:
        return None
    following = re.compile(rf"^[ \t]*#{{1,{len(level[1])}}}[ \t]", re.MULTILINE).search(text, begin)
    return following.start() if following else None


def opening_rule(text: str, place: int) -> re.Match[str] | None:
    """Return the rule that begins the passages after a heading, None if there is none."""
    return RULE.match(text, past_blank(text, place))


def instructs(text: str) -> bool:
    """Whether a paragraph tells the model what to do; advice to a reader, as in a manual, does not."""
    if _TO_MODEL.match(text):
        return True
    return INSTRUCTION.match(text) is not None and _OF_MODEL.search(text) is not None


def is_persona(text: str) -> bool:
    """Whether a text tells the model who it is."""
    return _PERSONA.match(text) is not None


def surely_announces(text: str, start: int, begin: int, inner: str) -> bool:
    """Whether the line that starts here, up to ``begin``, announces passages as programs do it.

    People write *Documents:* or *I need information:*, and speak of themselves.
    """
    line = text[start : max(begin, text.find("\n", start))]
    if LEVEL.match(line) or _DECORATED.match(line.split("\n")[0]):
        return True
    if LABELLED.match(inner.lstrip()) or _MACHINE_LISTED.match(inner):
        return True
    if _FIRST_PERSON.search(line) or _FIRST_PERSON.search(inner):
        return False
    told = _TOLD.search(text, 0, begin) or _TOLD.search(text, text.find(inner, begin) + len(inner))
    if told and not _FIRST_PERSON.search(text, 0, start):
        return True
    # People describe a situation on the line of the heading itself.
    apart = text[begin : past_blank(text, begin)].count("\n") > 0 or len(paragraphs(inner)) > 1
    return apart and _OF_PROGRAMS.search(text[start:begin]) is not None
