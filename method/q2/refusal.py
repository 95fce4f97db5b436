"""The question that a refusal leaves open, which tells whether the knowledge answers it.

"I'm sorry, I don't know how much compensation is paid." leaves open "How much compensation is paid?".
"""

import re

_CLAUSE = re.compile(
    r"\b(?:know|sure|certain|aware|idea|clue|tell(?: you)?|find(?: out)?|say|see|determine|confirm|"
    r"(?:information|info|details?|anything)(?: available)?|mention|state|specify|remember|recall|answer)"
    r"(?: exactly| yet)?(?: of| about| on| as to| regarding)?,? "
    r"((?:how|what|when|where|who|whom|whose|which|why)\b(?! (?:you mean|to say)\b)[^.!?;]{2,200})",
    re.IGNORECASE,
)
_MATTER = re.compile(
    r"\b(?:information|info|details?|anything|nothing|data|idea|clue|sure|aware|mention|documents?|know)"
    r"(?: \w+)? (?:about|on|regarding|concerning|of|for) ([^.!?;,]{2,120})"
    r"|\b(?:do|does|did)(?:n't| not) (?:\w+ )?(?:mention|state|say|specify|contain|include|provide|cover|list|give) "
    r"(?:any(?:thing)? (?:information |details? )?(?:about |on |regarding )?)?([^.!?;,]{2,120})"
    r"|\b(?:find|locate|confirm|verify|provide|give you|tell you|share) "
    r"((?:the|a|an|your|our|its|their|any)\b [^.!?;,]{2,120})",
    re.IGNORECASE,
)
_NO_MATTER = re.compile(
    r"(?:that|this|it|them|these|those|any|the (?:answer|information|question|topic))\b(?! \w+ \w+)",
    re.IGNORECASE,
)


def open_question(refusal: str) -> str | None:
    """Return the question that a refusal leaves open; None where it names no matter."""
    text = refusal.replace("\u2019", "'")
    clause = _CLAUSE.search(text)
    if clause:
        return _asked(clause.group(1))
    for found in _MATTER.finditer(text):
        matter = next(group for group in found.groups() if group)
        if not _NO_MATTER.match(matter):
            return _asked(f"what is {matter}")
    return None


def _asked(words: str) -> str:
    words = re.split(r",? (?:but|so|sorry|unfortunately|in (?:the|my|our) )\b", words)[0].strip(
        " ,'\""
    )
    return f"{words[0].upper()}{words[1:]}?"
