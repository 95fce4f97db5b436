"""Tokens, thoughts and steps before the answer, which models and the programs around them leave in a reply."""

import re

from qsquared.method.plain.markup.mapped import Edit, Mapped
from qsquared.method.plain.names import GIVEN_NAME

_THOUGHTS = ("think", "thinking", "thought", "thoughts", "reasoning", "scratchpad", "reflection")
_BRACKETS = (("◁{}▷", "◁/{}▷"), ("[{}]", "[/{}]"), ("<|begin_of_{}|>", "<|end_of_{}|>"))
_TURN = re.compile(
    r"<[|｜](?:im_start|start|start_header_id)[|｜]>\s{0,3}(?:assistant|model|bot)(?:<[|｜]end_header_id[|｜]>)?"
    r"|<[|｜](?:assistant|bot|model|message)[|｜]>|<start_of_turn>\s{0,3}model|\[/INST\]",
    re.IGNORECASE,
)
"""A token after which the assistant speaks; what stands before the last one is the prompt."""
_TOKEN = re.compile(
    r"<[|｜][\w▁ -]{1,40}[|｜]>|</?(?:bos|eos|pad|unk|start_of_turn|end_of_turn)>|\[/?(?:INST|SYS|EOS|BOS|END|DONE|STOP)\]"
    r"|\[END OF \w{1,20}\]"
)
_FORUM_TAG = re.compile(
    r"\[/?(?:b|i|u|s|quote|code|url|color|size|center)(?:=[^\[\]\n]{0,200})?\]", re.IGNORECASE
)
_SECTION = re.compile(r"\[\[ ## (\w{1,40}) ## \]\]")
_SHOWN = frozenset(["answer", "response", "reply", "output", "final_answer"])
_STEPS = re.compile(
    r"[\s*#_]{0,20}(?:thoughts?|reasoning|rationale|scratchpad|chain of thought|action)[\s*_]{0,4}:",
    re.IGNORECASE,
)
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_SENT = rf"\[?(?:\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}},?\s)?{_CLOCK}\]?(?:\s?[–—|-])?\s"
_NAME = r"(?:[A-Z][\w'’-]{0,20}\s){0,2}[A-Z][\w'’-]{0,20}"
_ROLE = r"(?:[Aa]ssistant|[Bb]ot|[Cc]hat[Bb]ot|[Aa]gent|AI|Copilot|ChatGPT|Claude|Gemini|[Oo]perator|[Aa]dvisor)"
_ANY_ROLE = rf"(?:{_ROLE}|[Ss]upport|[Tt]eam|[Cc]ustomer\s[\w\s]{{1,20}}|[Hh]elp\s?[Dd]esk|[Ss]pecialist|[Rr]epresentative|[Mm]oderator|[Ss]taff)"
_SPEAKER = re.compile(
    rf"\s{{0,20}}[*_]{{0,2}}(?:{_SENT}{_NAME}(?:\s\([^()\n]{{1,30}}\))?[*_]{{0,2}}:[*_]{{0,2}}\s|"
    rf"(?:{_ROLE}\s\([^()\n]{{1,30}}\)|{_NAME}\s\({_ANY_ROLE}\)|(?:[A-Z][\w'’-]{{0,20}}\s){{1,2}}{_ROLE})[*_]{{0,2}}:[*_]{{0,2}}\s|"
    # "John Wick: Chapter 2" is a title.
    rf"(?i:{GIVEN_NAME})(?:\s\([^()\n]{{1,30}}\))?[*_]{{0,2}}:[*_]{{0,2}}\s(?=(?:\S+\s+){{3}})|"
    rf"\[(?:{_ANY_ROLE}|(?i:draft|internal|auto(?:mated)?[ -]?(?:reply|response)|suggested(?: reply| answer)?|final(?: answer)?|answer|reply|response))\]:?\s|(?:[A-Z][\w'’-]{{0,20}}\s){{0,2}}\w{{0,20}}{_ROLE}(?:\s(?:APP|BOT|\(bot\)))?[\s,|·•-]{{1,3}}(?:at\s)?\[?{_CLOCK}\]?[ \t]*\n)"
)
"""The name of whoever speaks, as transcripts have it."""
_LABELLED = re.compile(r"^\W{0,5}[A-Z][\w'’ ()-]{1,40}:\s", re.MULTILINE)
_ANSWER = re.compile(
    r"^[ \t*#_]{0,10}(?:final )?(?:answer|response|reply|output)[*_ \t]{0,4}:",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWER_TAG = re.compile(r"<(/?)(?:answer|final_answer|final_response)>", re.IGNORECASE)
_OTHER_TAG = re.compile(
    r"</(?:analysis|quotes|evidence|context|search|plan|steps|notes|draft|facts)>", re.IGNORECASE
)
"""The ends of elements that a model was asked to write before its answer."""
_REASONS = re.compile(
    r"^[ \t*_#]{0,10}(?:reasoning|rationale|justification)[*_ \t]{0,4}:",
    re.IGNORECASE | re.MULTILINE,
)
_WRITTEN_BREAK = re.compile(r"(?<!\\)(?<![A-Za-z]:)(?:\\r)?\\n")
_OBJECT = re.compile(r"(?:^|:)\s{0,20}(?:```\w{0,10}\s{0,5})?[\[{]\s{0,50}[\"'{\[]")
"""JSON, in which written line breaks are read with its strings."""
_BREAKS_A_LINE = re.compile(r"\\n\\n|[.!?,:]\\n")


def without_prompt(text: Mapped) -> Mapped:
    """Return a reply without tokens of models, thoughts, and the steps that led to its answer."""
    text = _broken(text)
    text = text.edited(_thoughts(text.text))
    text = _shown_section(text)
    turns = list(_TURN.finditer(text.text))
    if turns and text.text[turns[-1].end() :].strip():
        text = text.part(turns[-1].end(), len(text.text))
    for pattern in (_TOKEN, _FORUM_TAG):
        if pattern is _TOKEN or "[/" in text.text:
            text = text.edited([(*match.span(), "") for match in pattern.finditer(text.text)])
    text = _within_answer(text)
    speaker = _SPEAKER.match(text.text)
    labels = speaker and speaker.group().rstrip(" *_").endswith(":")
    if speaker and not (labels and _LABELLED.search(text.text, speaker.end())):
        text = text.part(speaker.end(), len(text.text))
    if _STEPS.match(text.text):
        answers = list(_ANSWER.finditer(text.text))
        if answers:
            text = text.part(answers[-1].start(), len(text.text))
    reasons = _REASONS.search(text.text) if _ANSWER.match(text.text) else None
    return text.part(0, reasons.start()) if reasons else text


def _broken(text: Mapped) -> Mapped:
    r"""Break the lines of a reply that was logged with "\\n" in place of its line breaks."""
    written = _BREAKS_A_LINE.search(text.text)
    if "\n" in text.text or not written or _OBJECT.search(text.text, 0, written.start()):
        return text
    return text.edited([(*match.span(), "\n") for match in _WRITTEN_BREAK.finditer(text.text)])


def _thoughts(text: str) -> list[Edit]:
    lower = text.lower()
    if len(lower) != len(text):
        lower = text
    edits: list[Edit] = []
    for name in _THOUGHTS:
        pairs = [(f"<{name}", f"</{name}>")]
        pairs += [(first.format(name), last.format(name)) for first, last in _BRACKETS]
        for opening, closing in pairs:
            if closing in lower:
                edits += _between(lower, opening, closing)
    return _apart(edits)


def _between(text: str, opening: str, closing: str) -> list[Edit]:
    """Find thoughts; the beginning of the first may stand in the prompt."""
    found: list[Edit] = []
    done, end = 0, text.find(closing)
    while end >= 0:
        start = text.find(opening, done, end)
        if start >= 0 or not done:
            found.append((max(start, 0), end + len(closing), ""))
        done = end + len(closing)
        end = text.find(closing, done)
    return found


def _apart(edits: list[Edit]) -> list[Edit]:
    """Join ranges that overlap."""
    joined: list[Edit] = []
    for start, end, _ in sorted(edits):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]), "")
        else:
            joined.append((start, end, ""))
    return joined


def _within_answer(text: Mapped) -> Mapped:
    """Keep the one element that a prompt asked the answer to stand in."""
    found = list(_ANSWER_TAG.finditer(text.text))
    if len(found) != 2 or found[0].group(1) or not found[1].group(1):
        return text
    outside = text.text[: found[0].start()]
    if not _OTHER_TAG.search(outside):
        return text
    return text.part(found[0].start(), len(text.text))


def _shown_section(text: Mapped) -> Mapped:
    """Keep the section of the answer where a program asked for "[[ ## answer ## ]]"."""
    marks = list(_SECTION.finditer(text.text))
    ends = [*(mark.start() for mark in marks[1:]), len(text.text)]
    for mark, end in zip(marks, ends, strict=bool(marks)):
        if mark.group(1).lower() in _SHOWN:
            return text.part(mark.end(), end)
    return text
