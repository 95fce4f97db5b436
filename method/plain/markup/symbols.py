"""Emoji and other characters of a reply that are no words."""

import re

from qsquared.method.plain.markup.mapped import Edit, Mapped

_EMOJI = re.compile(
    "(?:[0-9#*]\ufe0f?\u20e3"
    "|[\U0001f000-\U0001faff\u2600-\u27bf\u2b05-\u2b55\u231a-\u23ff\u3030\u303d]"
    "[\ufe0f\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*)+"
    r"|(?<![^\s.!?,])(?:[:;=]['-]?[)(DPpOo*|/]|<3|\^\^)(?=[\s.!?,]|$)"
    r"|(?<!\w):[a-z][a-z_]{1,30}:(?!\w)"
)
_INTERJECTION = re.compile(
    r"\s*(?:sure|yes|no|hi|hello|hey|hi there|thanks|thank you|ok|okay|great|of course|certainly|absolutely)",
    re.IGNORECASE,
)
_INVISIBLE = re.compile("[\u200b\u2060\ufeff\xad\u200e\u200f]+")


def without_symbols(text: Mapped) -> Mapped:
    """Return a paragraph without emoji, emoticons and invisible characters."""
    text = text.edited([(*match.span(), "") for match in _INVISIBLE.finditer(text.text)])
    return text.edited(_emoji(text.text))


def _emoji(text: str) -> list[Edit]:
    edits: list[Edit] = []
    done = 0
    for match in _EMOJI.finditer(text):
        start, end = match.span()
        while start > done and text[start - 1] in " \t":
            start -= 1
        past = end
        while past < len(text) and text[past] in " \t":
            past += 1
        if start == 0 or (edits and start == done):
            end = past
        # "Sure 😊 The museum …": the emoji stands in place of a full stop.
        stop = (
            start > 0
            and past > end
            and text[start - 1].isalnum()
            and (text[past : past + 1].isupper() or _INTERJECTION.fullmatch(text, done, start))
        )
        edits.append((start, end, "." if stop else ""))
        done = end
    return edits
