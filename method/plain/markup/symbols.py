"""Emoji and other characters of a reply that are no words."""

import re
from unicodedata import normalize

from qsquared.method.plain.markup.dress import pattern
from qsquared.method.plain.markup.mapped import Edit, Mapped

_BLANKS = re.compile(r"[ \t]*")
_TYPESET = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"'})
_SPELLED = re.compile("[\ufb00-\ufb06]|[\uff01-\uff5e][\u0300-\u036f]?|[A-Za-z][\u0300-\u036f]")
"""Letters of typeset pages, those as wide as Chinese ones, and those apart from their accents."""


def without_symbols(text: Mapped) -> Mapped:
    """Return a paragraph without emoji, emoticons and invisible characters.

    Characters that are written in several ways are written in one, so that the words of a reply and
    those of the knowledge are the same.
    """
    text = text.replaced(pattern("invisible"))
    text = text.edited(_emoji(text.text))
    text = text.replaced(_SPELLED, lambda letter: normalize("NFKC", letter[0]))
    return Mapped(text.text.translate(_TYPESET), text.starts, text.ends)


def _emoji(text: str) -> list[Edit]:
    edits: list[Edit] = []
    done = 0
    for match in pattern("emoji").finditer(text):
        start, end = done + len(text[done : match.start()].rstrip(" \t")), match.end()
        blanks = _BLANKS.match(text, end)
        past = blanks.end() if blanks else end
        if start == 0 or (edits and start == done):
            end = past
        # "Sure 😊 The museum …": the emoji stands in place of a full stop.
        stop = (
            start > 0
            and past > end
            and text[start - 1].isalnum()
            and (
                text[past : past + 1].isupper()
                or pattern("interjection").fullmatch(text, done, start)
            )
        )
        edits.append((start, end, "." if stop else ""))
        done = end
    return edits
