"""Emoji and other characters of a reply that are no words."""

import re
from unicodedata import normalize

from qsquared.method.plain.markup.mapped import Edit, Mapped

_EMOJI = re.compile(
    "(?:[0-9#*]\ufe0f?\u20e3"
    "|[\U0001f000-\U0001faff\u2139\u25aa\u25ab\u25b6\u25c0\u2600-\u27bf\u2b05-\u2b55\u231a-\u23ff\u3030\u303d]"
    "[\ufe0f\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*)+"
    r"|(?<![^\s.!?,])(?:[:;=]['-]?[)(DPpOo*|/]|<3|\^\^)(?=[\s.!?,]|$)"
    r"|(?<!\w):[a-z][a-z_]{1,30}:(?!\w)"
)
_INTERJECTION = re.compile(
    r"\s*(?:sure|yes|no|hi|hello|hey|hi there|thanks|thank you|ok|okay|great|of course|certainly|absolutely)",
    re.IGNORECASE,
)
_INVISIBLE = re.compile(
    "[\u200b\u2060\ufeff\xad\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]+"
    # Joiners are letters in some scripts.
    "|(?<![^\x00-\u024f])[\u200c\u200d]+(?![^\x00-\u024f])"
)
_TYPESET = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"'})
_LIGATURE = re.compile("[\ufb00-\ufb06]|[\uff01-\uff5e]")
"""Letters of typeset pages, and those as wide as Chinese ones."""
_COMPOSED = re.compile("[A-Za-z][\u0300-\u036f]")


def without_symbols(text: Mapped) -> Mapped:
    """Return a paragraph without emoji, emoticons and invisible characters.

    Characters that are written in several ways are written in one, so that the words of a reply and
    those of the knowledge are the same.
    """
    text = text.edited([(*match.span(), "") for match in _INVISIBLE.finditer(text.text)])
    text = text.edited(_emoji(text.text))
    for pattern in (_LIGATURE, _COMPOSED):
        text = text.edited(
            [(*one.span(), _in_one_way(one.group())) for one in pattern.finditer(text.text)]
        )
    return Mapped(text.text.translate(_TYPESET), text.starts, text.ends)


def _in_one_way(letter: str) -> str:
    """Return a ligature as its letters, and a letter with its accent as one character."""
    return normalize("NFKC", letter)


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
