"""Passages that an application put into a prompt, told apart from its instructions and the question.

The usual marks are known: tags (``<context>``, ``<documents>``), a line such as ``Context:`` or
``Context information is below.``, and numbered documents; a person names others with
``--context-between``.
What a user wrote is not taken for knowledge by a heading alone that a person would write, too
(``Documents:``), and the last paragraph of a user's message is the question, if nothing marks another.
"""

import re
from dataclasses import dataclass
from itertools import takewhile

from qsquared.storage.logs.fields.passages import Passage
from qsquared.storage.logs.fields.values import asks
from qsquared.storage.logs.prompts import marks
from qsquared.storage.logs.prompts.divide_passages import LONGEST, split_passages, tagged
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("prompts")

Marks = tuple[str, str]
"""The texts before and after the passages of a prompt; nothing after: they end with the message."""

_SHORTEST = 12
_QUESTIONS = "question|query|user_question|user_query"


@dataclass(frozen=True, slots=True)
class PromptParts:
    """A prompt's passages, the text without them (of a user: the question), and what marked them."""

    passages: list[Passage]
    rest: str
    mark: str


def split_prompt(
    text: str, between: Marks | None = None, *, user: bool = False
) -> PromptParts | None:
    """Return the parts of a prompt that holds passages, None if it holds none.

    Args:
        text: the prompt of a system or user message.
        between: the marks that a person named, in place of the usual ones.
        user: whether the message is the user's, who may have written it without a program.
    """
    if len(text) > LONGEST:
        return None
    text = text.replace("\r\n", "\n")
    if between is None:
        if _V["marks"].search(text) is None:
            return None
        return (
            _by_tags(text, user=user) or _by_heading(text, user=user) or _by_ends(text, user=user)
        )
    before, begun, inner = text.partition(between[0])
    inner, ended, after = inner.partition(between[1]) if between[1] else (inner, begun, "")
    if not (begun and ended):
        return None
    return PromptParts(split_passages(inner), _question(before, after, user=user), between[0])


def _by_tags(text: str, *, user: bool) -> PromptParts | None:
    found, passages = next(tagged(text), ([], []))
    kept = [one for one in passages if not marks.is_persona(one["text"])]
    if not found or (passages and not kept):
        return None
    rest = _question(text[: found[0].begin], text[found[-1].end :], user=user)
    return PromptParts(kept, rest, f"<{found[0].tag}>")


def _by_heading(text: str, *, user: bool) -> PromptParts | None:
    for start, heading in marks.heading_ends(text):
        begin, end, after = _section(text, start, heading)
        # Between two rules stand the passages alone.
        ruled = end < after and bool(text[:start].strip())
        if user and not ruled and not _asks(text[:start], text[after:]):
            end = after = _before_question(text, start, begin, end)
            if not text[begin:end].strip():
                continue
        inner = text[begin:end]
        if user and not _is_programs(text, start, heading, begin, end):
            continue
        passages = split_passages(inner)
        long = any(len(one["text"]) >= _SHORTEST for one in passages)
        around = (after, len(text)), *([(0, start)] if user else [])
        asked = any(_V["question"].search(text, *part) for part in around)
        if long or (not passages and (inner.strip() or asked)):
            label = _V["numbered"].match(text, start)
            marked = text[start : max(begin, label.end() if label else start + 1)].strip()
            rest = _question(text[:start], text[after:], user=user)
            return PromptParts(passages, rest, marked.split("\n")[0][:60])
    return None


def _by_ends(text: str, *, user: bool) -> PromptParts | None:
    """Return the parts of a prompt whose passages stand between a name and a line such as ``END OF RULES``."""
    for end in _V["ended"].finditer(text):
        begun = re.compile(rf"^\W*(?:BEGIN|START)?(?: OF)?\W*{re.escape(end[1])}\W*$", re.MULTILINE)
        start = next(begun.finditer(text, 0, end.start()), None)
        passages = split_passages(text[start.end() : end.start()]) if start else []
        if start and passages:
            rest = _question(text[: start.start()], text[end.end() :], user=user)
            return PromptParts(passages, rest, start[0].strip()[:60])
    return None


def _section(text: str, heading: int, begin: int) -> tuple[int, int, int]:
    """Return where the passages after a heading begin and end, and where the text goes on.

    The section of a Markdown heading, which starts at ``heading``, ends with the next one.
    Else it ends with the last rule before a question if it began with a rule, else with a question,
    an instruction to the model or the prompt.
    """
    opening = marks.opening_rule(text, begin)
    begin = opening.end() if opening else begin
    ending = _ending(text, begin)
    # Passages may have headings themselves.
    section = marks.section_end(text, heading, begin) if heading < begin else None
    end = min(ending.start() if ending else len(text), section or len(text))
    rules = [rule for rule in _V["rule"].finditer(text, begin) if rule.start() <= end]
    if opening and rules:
        return begin, *rules[-1].span()
    parts = [(begin + start, begin + stop) for start, stop in marks.paragraphs(text[begin:end])]
    if ending is not None and _V["question"].match(text, ending.start()):
        # A mark ends the passages for sure: only what stands last before it may be an instruction.
        while parts and marks.instructs(text[slice(*parts[-1])]):
            parts.pop()
    else:
        parts = [*takewhile(lambda part: not marks.instructs(text[slice(*part)]), parts)]
    end = parts[-1][1] if parts else begin
    return begin, end, end


def _ending(text: str, begin: int) -> re.Match[str] | None:
    """Return the first mark that ends passages; questions with their answers may be passages."""
    place = begin
    listed = _V["numbered"].match(text, marks.past_blank(text, begin)) is not None
    while ending := _V["ends"].search(text, place):
        closing = _V["closed"].match(text, ending.start()) if listed else None
        if closing and _V["numbered"].match(text, marks.past_blank(text, closing.end())):
            place = closing.end()
            continue
        pair = _V["faq"].match(text, ending.start())
        begun = listed or place > begin or not text[begin : ending.start()].strip()
        if pair is None or not begun:
            return ending
        place = pair.end()
    return None


def _asks(before: str, after: str) -> bool:
    """Whether a question is marked in the text around passages, or stands after them."""
    marked = _V["question"].search(before) or _V["question"].search(after)
    if marked or marks.elements(f"{before}\n{after}", _QUESTIONS):
        return True
    parts = [_V["answer"].sub("", after[start:end]) for start, end in marks.paragraphs(after)]
    said = (part for part in parts if part.strip() and not _V["rule"].fullmatch(part))
    return not all(map(_only_tells, said))


def _only_tells(text: str) -> bool:
    """Whether a paragraph tells the model what to do without asking it anything."""
    return marks.instructs(text) and not asks(text)


def _before_question(text: str, heading: int, begin: int, end: int) -> int:
    """Return the end of the passages before the question that ends a user's message without a mark."""
    parts = [(begin + start, begin + stop) for start, stop in marks.paragraphs(text[begin:end])]
    asked = any(map(asks, text[:heading].split("\n")))
    # What stands above "Answer using the following information:" is what is to be answered.
    above = text[:heading].strip()
    told = bool(above) and not (marks.is_persona(above) or marks.instructs(above))
    asked = asked or (told and marks.instructs(text[heading:begin]))
    if not parts:
        return begin
    start, stop = parts[-1]
    last = text[start:stop]
    listed = _V["numbered"].match(last) or _V["listed"].match(last)
    if len(parts) > 1 and not listed and (not asked or asks(last)):
        return parts[-2][1]
    line = last.rstrip().rfind("\n") + 1
    ends = asks(last) and not _V["numbered"].match(last[line:])
    if ends and not _V["listed"].match(last[line:]):
        return start + line
    return stop


def _is_programs(text: str, start: int, heading: int, begin: int, end: int) -> bool:
    """Whether a program wrote the passages into a user's message, and not the user."""
    if marks.opening_rule(text, heading) or _asks(text[:start], ""):
        return True
    question = _V["question"].search(text, end)
    return question is not None or marks.surely_announces(text, start, heading, text[begin:end])


def _question(before: str, after: str, *, user: bool) -> str:
    """Return what a prompt says beside its passages: the question alone, if it is marked as such.

    Of a user's message without such a mark, what instructs the model is left out.
    """
    for side in (after, before):
        asking = _V["question"].finditer(side)
        asking = (one for one in asking if not _V["faq"].match(side, one.start()))
        said = side[match.end() :] if (match := next(asking, None)) else ""
        if asked := _V["ends"].split(said, maxsplit=1)[0].strip():
            return asked
    for element in marks.elements(f"{before}\n{after}", _QUESTIONS):
        return element.inner.strip()
    places = ((side, place) for side in (before, after) for place in marks.paragraphs(side))
    parts = [side[slice(*place)].strip() for side, place in places]
    kept = [_V["answer"].sub("", part).strip() for part in parts if not _V["rule"].fullmatch(part)]
    kept = [part for part in kept if part]
    questions = [part for part in kept if not _only_tells(part)] if user else []
    return "\n\n".join(questions or kept)
