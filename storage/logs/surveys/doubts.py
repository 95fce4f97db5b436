"""Signs that turns were misread, and texts that a reading leaves out.

`complaints.py` makes sentences of them for the person whose log it is.
The numbers were chosen on logs of other programs; a doubt only refuses a log, and never changes a turn.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from statistics import fmean
from typing import Any, NamedTuple

from qsquared.storage.logs.fields.field_paths import leaves
from qsquared.storage.logs.fields.hits import without_unsent
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.fields.values import asks
from qsquared.storage.logs.surveys.columns.texts import ENDS, SharedWords, share_of, spaced, words
from qsquared.storage.logs.surveys.columns.values import Column, Unit
from qsquared.storage.logs.surveys.shapes.templates import is_framed
from qsquared.storage.logs.vocabulary import vocabulary

_SENTENCE = re.compile(r"(?:[\w'-]+,? ){4,}[\w'-]+[.!?\u3002]|[\u3040-\u9fff]{8}")
"""Five words and a full stop, or eight signs of a script without blanks: logs are read in any language."""
_ONE = re.compile(r'\{\s*"[^"]{0,80}"\s*:\s*"(?:[^"\\]|\\.)*"\s*\}')
_DATA = re.compile(r'\s*[\[{]\s*["\'{\[].*[\]}]\s*', re.DOTALL)
_OBJECT = re.compile(r"[A-Z]\w{0,80}\(\w+=.{0,2000}\)", re.DOTALL)
"""An object as Python prints it."""
_CODE = re.compile(r"[A-Za-z_][\w.]*(?:\(| <\w|\s*=\s)")
"""The begin of a call, of an assignment, or of a keyword before an element."""
_OPENS = re.compile(r"\s*<\w")
"""The begin of an element right behind a text."""
_V = vocabulary("survey")
_NAME_WORDS = 4
"""The most words of a title or name that does not end as a sentence does."""


class _Sign(NamedTuple):
    """A sign that turns were misread, and whether each of these turns, or of their passages, shows it.

    It counts if there are at least ``least`` of them, of which more than the share ``above`` show it.
    """

    told: str
    shown: Sequence[object]
    above: float
    least: int


_NO_WORD = re.compile(r"[\W_]+")
_DIGITS = re.compile(r"\d+")
_LEAST_TEXT, _LONGEST, _MOST_TEXTS, _MOST_TURNS = 30, 20_000, 500, 60
"""The characters of a text that may be knowledge, at least and at most, and how many texts and turns are compared."""
_GAIN, _MEAN_GAIN, _GAINING = 0.25, 0.12, 0.25
"""The share of a reply's words from which on an unread text gives it more, its mean, and the share of such replies."""


def _is_name(text: str, most: int) -> bool:
    return len(spaced(text).split()) <= most and not text.endswith(ENDS)


def _answers(word: str, passages: Sequence[str]) -> bool:
    """Whether a word may answer a question: it stands in the knowledge, or agrees or denies."""
    plain = word.strip("\"'.!").lower()
    as_word = re.compile(rf"(?<![\w.-]){re.escape(plain)}(?![\w-])")
    return plain in {"yes", "no"} or any(as_word.search(one.lower()) for one in passages)


def doubts(turns: Sequence[dict[str, Any]], *, named: bool = False, data: bool = False) -> str:
    """Return why turns look misread, empty if they do not: replies that are questions, ids, or their knowledge.

    Args:
        turns: the turns.
        named: whether the log itself names a response and its knowledge: then replies that end with a
            question or are their knowledge, short answers without a question, and data of a program, are
            what it means by these.
        data: whether data of a program that hold sentences are knowledge, as what a tool returned.
    """
    replied = [turn for turn in turns if turn["response"].strip()]
    if not replied or (named and len(replied) < 3):
        return ""
    signs = (*_always(replied, named=named), *(() if named else _of_readings(replied, data=data)))
    return next(
        (
            one.told
            for one in signs
            if len(one.shown) >= one.least and share_of(one.shown) > one.above
        ),
        "",
    )


def _parts_of(turns: Sequence[dict[str, Any]]) -> list[tuple[str, str, list[str]]]:
    """Return the reply, the question before it, and the knowledge of each turn."""
    asked = (turn["history"][-1].strip() if turn["history"] else "" for turn in turns)
    return [
        (turn["response"].strip(), question, [one.strip() for one in turn["knowledge"]])
        for turn, question in zip(turns, asked, strict=True)
    ]


def _always(turns: Sequence[dict[str, Any]], *, named: bool) -> Iterator[_Sign]:
    """Yield the signs that hold whatever the fields of a log are called."""
    rows = _parts_of(turns)
    passages = any(held for *_, held in rows)
    names = [
        _is_name(one, _NAME_WORDS - 1) and not (named and _answers(text, [one]))
        for text, _, held in rows
        for one in held
    ]
    single = [
        passages and " " not in spaced(text) and not ((one or named) and _answers(text, held))
        for text, one, held in rows
    ]
    repeat_question = [text == one for text, one, _ in rows]
    times = [moment_of(text) for text, *_ in rows]
    yield _Sign("the replies are single words, numbers or ids", single, above=0.8, least=3)
    yield _Sign("the replies equal the questions", repeat_question, above=0.5, least=1)
    yield _Sign("the replies are times", times, above=0.5, least=1)
    yield _Sign("the knowledge is titles or names, and no texts", names, above=0.8, least=3)


def _of_readings(turns: Sequence[dict[str, Any]], *, data: bool) -> Iterator[_Sign]:
    """Yield the signs that hold only if the fields were not named by the log itself.

    A bot may end each reply with a question, or answer with its passages word for word.
    """
    rows = _parts_of(turns)
    texts = [text for text, *_ in rows]
    passages = [one for *_, held in rows for one in held]
    # A short answer to a question is a reply.
    titles = [passages and not one and _is_name(text, _NAME_WORDS) for text, one, _ in rows]
    repeat_knowledge = [text.lstrip("-*• ") in held for text, _, held in rows]
    # Another form of the same answer: with what it rests on below it, or behind what a model thought before.
    said = [(text, held) for text, _, held in rows if held and len(text.split()) >= 4]
    begin_knowledge = [
        any(one.startswith(text) and _OPENS.match(one, len(text)) for one in held)
        for text, held in said
    ]
    end_knowledge = [
        any(len(text) < len(one) < 2 * len(text) and one.endswith(text) for one in held)
        for text, held in said
    ]
    bare_data = [_DATA.fullmatch(one) and not (data and _tells(one)) for one in passages]
    hold_knowledge = [len(held) > 1 and all(one in text for one in held) for text, _, held in rows]
    asked_data = [_DATA.fullmatch(one) for _, one, _ in rows]
    questions, coded = list(map(asks, texts)), _coded(texts)
    framed, objects = list(map(is_framed, texts)), list(map(_OBJECT.fullmatch, texts))
    again = "the rows repeat what was said before, so that replies are read again"
    yield _Sign("the replies are questions", questions, above=0.8, least=3)
    yield _Sign(again, _again(turns), above=0.1, least=4)
    yield _Sign("the replies equal their knowledge", repeat_knowledge, above=0.5, least=2)
    yield _Sign("the knowledge begins with the replies", begin_knowledge, above=0.8, least=3)
    yield _Sign("the knowledge ends with the replies", end_knowledge, above=0.8, least=3)
    yield _Sign("the replies hold all of their knowledge", hold_knowledge, above=0.2, least=2)
    yield _Sign("the replies are titles or names, and no sentences", titles, above=0.8, least=3)
    yield _Sign("the questions are the data of a program", asked_data, above=0.2, least=1)
    yield _Sign("the replies stand between the marks of a template", framed, above=0.5, least=3)
    yield _Sign("the replies are the code of a program", coded, above=0.5, least=3)
    yield _Sign("the replies are objects of a program", objects, above=0.5, least=2)
    yield _Sign(
        "the knowledge is the data of a program, and no text", bare_data, above=0.5, least=1
    )


def left_out(turns: Sequence[dict[str, Any]], rows: Sequence[Unit]) -> str:
    """Return the path of unread texts on which the replies rest; empty if there is none.

    A reply rests on such a text if it shares many words with it that neither its question nor its knowledge has, and
    that not all texts of the path have.
    """
    turns = [turn for turn in turns if len(words(turn["response"])) > 4][:_MOST_TURNS]
    said = {_plain(text) for turn in turns for text in texts_of(turn)}
    whole = "\n".join(said)
    unread: dict[str, dict[str, str]] = {}
    for path, text in islice(_telling(rows), _MOST_TEXTS):
        plain = _plain(text[:_LONGEST])
        if plain not in whole:
            unread.setdefault(_DIGITS.sub("0", path), {})[plain] = plain
    shared = SharedWords([turn["response"] for turn in turns])
    for path, texts in unread.items():
        # One text stands beside all replies, as an instruction does.
        if min(len(texts), len(turns)) < 2 or not _give_more(turns, [*texts], shared):
            continue
        # Prompts and transcripts repeat what was said, of which even short sentences are taken away.
        long_first = sorted((one for one in said if len(one) >= 15), key=len, reverse=True)
        for text in texts:
            for one in long_first:
                texts[text] = texts[text].replace(one, " ")
        if _give_more(turns, [*texts.values()], shared):
            return path
    return ""


def _plain(text: str) -> str:
    return _NO_WORD.sub(" ", text).strip().lower()


def texts_of(turn: Mapping[str, Any]) -> list[str]:
    """Return all texts of a turn: its reply, its knowledge, and what was said before."""
    return [turn["response"], *turn["knowledge"], *turn["history"]]


def _telling(rows: Sequence[Unit]) -> Iterator[tuple[str, str]]:
    """Yield the paths and texts of rows that are named like knowledge, but for expected ones and thoughts of models."""
    for row in rows:
        for path, text in leaves(without_unsent(row)):
            if isinstance(text, str) and len(text) >= _LEAST_TEXT and " " in spaced(text):
                column = Column(path)
                told = column.is_expected or column.is_of_program or column.is_remark
                if _V["known_like"].search(path) and not told:
                    yield path, text


def _give_more(turns: Sequence[dict[str, Any]], texts: Sequence[str], shared: SharedWords) -> bool:
    """Whether replies share many words with one of these texts that neither their knowledge nor question has."""
    gains = []
    for turn in turns:
        known = " ".join([*turn["knowledge"], *turn["history"][-1:]])
        reply = turn["response"]
        # A text of the words of a reply was made of it.
        others = [text for text in texts if not _is_of(text, reply)]
        more = sorted((shared.within(reply, text, but=known) for text in others), reverse=True)
        # What a reply shares with all texts alike are the words of the subject.
        gains.append(more[0] - (fmean(more[1:]) if len(more) > 1 else 0.0) if more else 0.0)
    return fmean(gains) >= _MEAN_GAIN and share_of([one >= _GAIN for one in gains]) >= _GAINING


def _again(turns: Sequence[dict[str, Any]]) -> list[bool]:
    """Return of each turn whether its row goes on from one before, which had the same replies up to it.

    Where most rows begin with all that the row above them has, and several go on from it, each step of a conversation
    was logged; rows that are equal may be of a script that ran again.
    """
    rows: list[list[str]] = []
    said = 0
    for turn in turns:
        if len(turn["history"]) <= said or not rows:
            rows.append([])
        rows[-1].append(turn["response"])
        said = len(turn["history"])
    steps = [below[: len(row)] == row for row, below in pairwise(rows)]
    longer = [
        own and len(row) < len(below)
        for own, (row, below) in zip(steps, pairwise(rows), strict=True)
    ]
    if share_of(steps) >= 0.8 and share_of(longer) >= 0.2:
        counted = zip([*steps, False], map(len, rows), strict=True)
        return [own for own, length in counted for _ in range(length)]
    found: list[bool] = []
    seen: set[tuple[str, ...]] = set()
    for row in rows:
        begun = (end for end in range(len(row) - 1, 1, -1) if tuple(row[:end]) in seen)
        again = next(begun, 0)
        found += [place < again for place in range(len(row))]
        seen.add(tuple(row))
    return found


def _is_of(text: str, reply: str) -> bool:
    """Whether a text has few words but those of a reply."""
    own = words(text)
    return 2 * len(own & words(reply)) > len(own)


def _tells(data: str) -> bool:
    """Whether the data of a program hold sentences, and not one alone, which has a path of its own."""
    return _SENTENCE.search(data) is not None and _ONE.fullmatch(data) is None


def _coded(texts: Sequence[str]) -> list[bool]:
    """Return of each text whether it begins as many others do, with the marks of a program."""
    begins = Counter(match[0] if (match := _CODE.match(text)) else "" for text in texts)
    most = max(begins, key=lambda one: bool(one) * begins[one], default="")
    return [bool(most) and text.startswith(most) for text in texts]
