"""Tokens, thoughts and steps before the answer, which models and the programs around them leave in a reply."""

import re
from itertools import pairwise

from qsquared.method.plain.markup.dress import patterns, words
from qsquared.method.plain.markup.mapped import Edit, Mapped

_THOUGHTS = frozenset(words("thoughts"))
_MARK = re.compile(
    r"(?:[<◁\[](?P<end>/)?|<\|(?:begin|(?P<ended>end))_of_)(?P<name>[a-z]{5,10})\b[^<>◁▷\[\]]{0,200}[>▷\]]",
    re.IGNORECASE,
)
"""A mark in brackets; those of thoughts count."""
_TURN = re.compile(
    r"<[|｜](?:im_start|start|start_header_id)[|｜]>\s{0,3}(?:assistant|model|bot)(?:<[|｜]end_header_id[|｜]>)?"
    r"|<[|｜](?:assistant|bot|model|message)[|｜]>|<start_of_turn>\s{0,3}model|\[/INST\]",
    re.IGNORECASE,
)
"""A token after which the assistant speaks; what stands before the last one is the prompt."""
_TOKEN = re.compile(
    r"<[|｜][\w▁ -]{1,40}[|｜]>|</?(?:bos|eos|pad|unk|start_of_turn|end_of_turn)>"
    r"|\[/?(?:INST|SYS|EOS|BOS|END|DONE|STOP)\]|\[END OF \w{1,20}\]"
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
_SPEAKERS = patterns("speaker")
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
    written = _BREAKS_A_LINE.search(text.text)
    if "\n" not in text.text and written and not _OBJECT.search(text.text, 0, written.start()):
        text = text.without(_WRITTEN_BREAK, "\n")
    text = text.edited(_thoughts(text.text))
    sections = [*_SECTION.finditer(text.text), None]
    for mark, following in pairwise(sections):
        if mark and mark[1].lower() in _SHOWN:
            text = text.part(mark.end(), following.start() if following else len(text.text))
            break
    turns = list(_TURN.finditer(text.text))
    if turns and text.text[turns[-1].end() :].strip():
        text = text.part(turns[-1].end(), len(text.text))
    text = text.without(_TOKEN)
    if "[/" in text.text:
        text = text.without(_FORUM_TAG)
    tags = list(_ANSWER_TAG.finditer(text.text))
    if [tag[1] for tag in tags] == ["", "/"] and _OTHER_TAG.search(text.text, 0, tags[0].start()):
        # The one element that a prompt asked the answer to stand in.
        text = text.part(tags[0].start(), len(text.text))
    speaker = next(filter(None, (one.match(text.text) for one in _SPEAKERS)), None)
    labels = speaker and speaker[0].rstrip(" *_").endswith(":")
    if speaker and not (labels and _LABELLED.search(text.text, speaker.end())):
        text = text.part(speaker.end(), len(text.text))
    answers = list(_ANSWER.finditer(text.text)) if _STEPS.match(text.text) else []
    if answers:
        text = text.part(answers[-1].start(), len(text.text))
    reasons = _REASONS.search(text.text) if _ANSWER.match(text.text) else None
    return text.part(0, reasons.start()) if reasons else text


def _thoughts(text: str) -> list[Edit]:
    """Find thoughts; the beginning of the first may stand in the prompt."""
    edits: list[Edit] = []
    start: int | None = 0
    for mark in _MARK.finditer(text):
        if mark["name"].lower() not in _THOUGHTS:
            continue
        if not (mark["end"] or mark["ended"]):
            start = start or mark.start()
        elif start is not None:
            edits.append((start, mark.end(), ""))
            start = None
    return edits
