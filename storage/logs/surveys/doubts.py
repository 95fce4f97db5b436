"""Signs that turns were misread: replies that are titles, ids or questions, and knowledge that is no text."""

import re
from collections.abc import Sequence
from typing import Any

from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.fields.values import asks
from qsquared.storage.logs.surveys.columns.values import ENDS, share_of, spaced
from qsquared.storage.logs.surveys.shapes.templates import is_framed

_DATA = re.compile(r'\s*[\[{]\s*["\'{\[].*[\]}]\s*', re.DOTALL)
_OBJECT = re.compile(r"[A-Z]\w{0,80}\(\w+=.{0,2000}\)", re.DOTALL)
"""An object as Python prints it."""
_FEW, _HALF, _MOST = 4, 0.5, 0.8
_FEW_OF_DATA = _SOME = 0.2
_ALWAYS = 4
"""The signs that hold whatever the fields of a log are called."""


def _is_name(text: str, most: int) -> bool:
    return len(spaced(text).split()) <= most and not text.endswith(ENDS)


def _answers(word: str, passages: Sequence[str]) -> bool:
    """Whether a word may answer a question: it stands in the knowledge, or agrees or denies."""
    plain = word.strip("\"'.!").lower()
    found = re.compile(rf"(?<![\w.-]){re.escape(plain)}(?![\w-])")
    return plain in {"yes", "no"} or any(found.search(one.lower()) for one in passages)


def doubts(turns: Sequence[dict[str, Any]], *, named: bool = False) -> str:
    """Return why turns look misread, empty if they do not: replies that are questions, ids, or their knowledge.

    Args:
        turns: the turns.
        named: whether the log itself names a response and its knowledge: then replies that end with a
            question or are their knowledge, short answers without a question, and data of a program, are
            what it means by these.
    """
    replied = [turn for turn in turns if turn["response"].strip()]
    if not replied or (named and len(replied) < _FEW - 1):
        return ""
    texts = [turn["response"].strip() for turn in replied]
    known = [[p.strip() for p in turn["knowledge"]] for turn in replied]
    asked = [turn["history"][-1].strip() if turn["history"] else "" for turn in replied]
    rows = list(zip(texts, asked, known, strict=True))
    passages = [one for held in known for one in held]
    names = [
        _is_name(one, _FEW - 1) and not (named and _answers(text, [one]))
        for text, _, held in rows
        for one in held
    ]
    words = [
        passages and " " not in spaced(text) and not ((one or named) and _answers(text, held))
        for text, one, held in rows
    ]
    # A short answer to a question is a reply.
    titles = [passages and not one and _is_name(text, _FEW) for text, one, _ in rows]
    repeat_question = [text == one for text, one, _ in rows]
    repeat_knowledge = [text.lstrip("-*• ") in held for text, _, held in rows]
    hold_knowledge = [len(held) > 1 and all(one in text for one in held) for text, _, held in rows]
    # What is doubtful, of which turns or passages it is true, from which share on, and of how many at least.
    signs = (
        ("the replies are single words, numbers or ids", words, _MOST, 3),
        ("the replies equal the questions", repeat_question, _HALF, 1),
        ("the replies are times", [moment_of(text) for text in texts], _HALF, 1),
        ("the knowledge is titles or names, and no texts", names, _MOST, 3),
        # What follows holds only if the fields were not named by the log itself: a bot may end each reply
        # with a question, or answer with its passages word for word.
        ("the replies are questions", list(map(asks, texts)), _MOST, 3),
        ("the replies equal their knowledge", repeat_knowledge, _HALF, 2),
        ("the replies hold all of their knowledge", hold_knowledge, _SOME, 2),
        ("the replies are titles or names, and no sentences", titles, _MOST, 3),
        ("the questions are the data of a program", list(map(_DATA.fullmatch, asked)), _FEW_OF_DATA, 1),
        ("the replies stand between the marks of a template", list(map(is_framed, texts)), _HALF, 3),
        ("the replies are objects of a program", list(map(_OBJECT.fullmatch, texts)), _HALF, 2),
        ("the knowledge is the data of a program, and no text", list(map(_DATA.fullmatch, passages)), _HALF, 1),
    )[: _ALWAYS if named else None]  # fmt: skip
    found = (told for told, of, most, least in signs if len(of) >= least and share_of(of) > most)
    return next(found, "")
