"""Signs that turns were misread, such as replies that are questions, and reasons why records are not read."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from statistics import fmean
from typing import Any

from qsquared.storage.logs.fields.field_paths import leaves
from qsquared.storage.logs.fields.hits import without_unsent
from qsquared.storage.logs.fields.times import moment_of
from qsquared.storage.logs.fields.values import asks
from qsquared.storage.logs.surveys.columns.described import NO_KNOWLEDGE
from qsquared.storage.logs.surveys.columns.texts import ENDS, Shared, share_of, spaced, words
from qsquared.storage.logs.surveys.columns.values import Column, Unit
from qsquared.storage.logs.surveys.shapes.templates import is_framed
from qsquared.storage.logs.vocabulary import vocabulary

_SENTENCE = re.compile(r"(?:[\w'-]+,? ){4,}[\w'-]+[.!?\u3002]|[\u3040-\u9fff]{8}")
_ONE = re.compile(r'\{\s*"[^"]{0,80}"\s*:\s*"(?:[^"\\]|\\.)*"\s*\}')
_DATA = re.compile(r'\s*[\[{]\s*["\'{\[].*[\]}]\s*', re.DOTALL)
_OBJECT = re.compile(r"[A-Z]\w{0,80}\(\w+=.{0,2000}\)", re.DOTALL)
"""An object as Python prints it."""
_CODE = re.compile(r"[A-Za-z_][\w.]*(?:\(| <\w|\s*=\s)")
"""The begin of a call, of an assignment, or of a keyword before an element."""
_OPENS = re.compile(r"\s*<\w")
"""The begin of an element right behind a text."""
_TITLE = re.compile(r"[A-Z][^.!?]* [^.!?]*\Z")
"""Several words with a capital letter, and no sentence."""
_V = vocabulary("survey")
_PAIR, _FEW, _HALF, _MOST = 2, 4, 0.5, 0.8
_LEAST_LIFT = 0.2
_FEW_OF_DATA = _SOME = 0.2
_FEW_AGAIN = 0.1
_Sign = tuple[str, Sequence[object], float, int]
"""A doubt, the turns or passages of which it is true, the share from which on it counts, and their least number."""
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
    found = re.compile(rf"(?<![\w.-]){re.escape(plain)}(?![\w-])")
    return plain in {"yes", "no"} or any(found.search(one.lower()) for one in passages)


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
    if not replied or (named and len(replied) < _FEW - 1):
        return ""
    signs = (*_always(replied, named=named), *(() if named else _of_readings(replied, data=data)))
    found = (told for told, of, most, least in signs if len(of) >= least and share_of(of) > most)
    return next(found, "")


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
        _is_name(one, _FEW - 1) and not (named and _answers(text, [one]))
        for text, _, held in rows
        for one in held
    ]
    single = [
        passages and " " not in spaced(text) and not ((one or named) and _answers(text, held))
        for text, one, held in rows
    ]
    repeat_question = [text == one for text, one, _ in rows]
    yield "the replies are single words, numbers or ids", single, _MOST, 3
    yield "the replies equal the questions", repeat_question, _HALF, 1
    yield "the replies are times", [moment_of(text) for text, *_ in rows], _HALF, 1
    yield "the knowledge is titles or names, and no texts", names, _MOST, 3


def _of_readings(turns: Sequence[dict[str, Any]], *, data: bool) -> Iterator[_Sign]:
    """Yield the signs that hold only if the fields were not named by the log itself.

    A bot may end each reply with a question, or answer with its passages word for word.
    """
    rows = _parts_of(turns)
    texts = [text for text, *_ in rows]
    passages = [one for *_, held in rows for one in held]
    # A short answer to a question is a reply.
    titles = [passages and not one and _is_name(text, _FEW) for text, one, _ in rows]
    repeat_knowledge = [text.lstrip("-*• ") in held for text, _, held in rows]
    # Another form of the same answer, with what it rests on below it.
    begin_knowledge = [
        any(one.startswith(text) and _OPENS.match(one, len(text)) for one in held)
        for text, _, held in rows
        if held and len(text.split()) >= _FEW
    ]
    bare_data = [_DATA.fullmatch(one) and not (data and _tells(one)) for one in passages]
    hold_knowledge = [len(held) > 1 and all(one in text for one in held) for text, _, held in rows]
    asked_data = [_DATA.fullmatch(one) for _, one, _ in rows]
    again = "the rows repeat what was said before, so that replies are read again"
    framed = "the replies stand between the marks of a template"
    yield "the replies are questions", list(map(asks, texts)), _MOST, 3
    yield again, _again(turns), _FEW_AGAIN, 4
    yield "the replies equal their knowledge", repeat_knowledge, _HALF, 2
    yield "the knowledge begins with the replies", begin_knowledge, _MOST, 3
    yield "the replies hold all of their knowledge", hold_knowledge, _SOME, 2
    yield "the replies are titles or names, and no sentences", titles, _MOST, 3
    yield "the questions are the data of a program", asked_data, _FEW_OF_DATA, 1
    yield framed, list(map(is_framed, texts)), _HALF, 3
    yield "the replies are the code of a program", _coded(texts), _HALF, 3
    yield "the replies are objects of a program", list(map(_OBJECT.fullmatch, texts)), _HALF, 2
    yield "the knowledge is the data of a program, and no text", bare_data, _HALF, 1


def left_out(turns: Sequence[dict[str, Any]], rows: Sequence[Unit]) -> str:
    """Return the path of texts that came into no turn though replies share words with them alone; empty if none do.

    Words of the question and of the knowledge that a reply has do not count, nor what replies share with all
    texts of the path.
    """
    turns = [turn for turn in turns if len(words(turn["response"])) > _FEW][:_MOST_TURNS]
    said = {_plain(text) for turn in turns for text in texts_of(turn)}
    whole = "\n".join(said)
    unread: dict[str, dict[str, str]] = {}
    for path, text in islice(_telling(rows), _MOST_TEXTS):
        plain = _plain(text[:_LONGEST])
        if plain not in whole:
            unread.setdefault(_DIGITS.sub("0", path), {})[plain] = plain
    shared = Shared([turn["response"] for turn in turns])
    for path, texts in unread.items():
        # One text stands beside all replies, as an instruction does.
        if min(len(texts), len(turns)) < _PAIR or not _give_more(turns, [*texts], shared):
            continue
        # Prompts and transcripts repeat what was said.
        long = sorted((one for one in said if len(one) >= _LEAST_TEXT / 2), key=len, reverse=True)
        for text in texts:
            for one in long:
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
    """Yield the texts of rows that are named like knowledge, but those that a person expected or a model thought."""
    for row in rows:
        for path, text in leaves(without_unsent(row)):
            if isinstance(text, str) and len(text) >= _LEAST_TEXT and " " in spaced(text):
                column = Column(path)
                told = column.is_expected or column.is_of_program or column.is_remark
                if _V["known_like"].search(path) and not told:
                    yield path, text


def _give_more(turns: Sequence[dict[str, Any]], texts: Sequence[str], shared: Shared) -> bool:
    """Whether replies share many words with one of these texts that neither their knowledge nor question has."""
    gains = []
    for turn in turns:
        known = " ".join([*turn["knowledge"], *turn["history"][-1:]])
        reply = turn["response"]
        # A text of the words of a reply was made of it.
        others = [text for text in texts if not _is_of(text, reply)]
        more = sorted((shared.within(reply, text, but=known) for text in others), reverse=True)
        gains.append(more[0] - (fmean(more[1:]) if len(more) > 1 else 0.0) if more else 0.0)
    return fmean(gains) >= _MEAN_GAIN and share_of([one >= _GAIN for one in gains]) >= _GAINING


def _again(turns: Sequence[dict[str, Any]]) -> list[bool]:
    """Return of each turn whether its row goes on from one before, which had the same replies up to it."""
    rows: list[list[str]] = []
    said = 0
    for turn in turns:
        if len(turn["history"]) <= said or not rows:
            rows.append([])
        rows[-1].append(turn["response"])
        said = len(turn["history"])
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


def reason_unread(made: Mapping[str, Column], replies: Sequence[Column], shared: Shared) -> str:
    """Return the reason why records are not read, empty if they are none; with replies it is the lack of knowledge."""
    alone = _titles_alone(made) if replies else _several_replies(made, shared)
    return _words_alone(made, replies) or alone or (NO_KNOWLEDGE if replies else "")


def _titles_alone(made: Mapping[str, Column]) -> str:
    """Return that lists of a log hold titles and no texts; empty if they do not."""
    listed = [one for one in made.values() if "[]" in one.path and not one.has_sentences]
    titles = [one.path for one in listed if one.share(_TITLE.match) > _HALF]
    return f"No field holds the texts of the articles, only titles ({titles[0]})." if titles else ""


def _several_replies(made: Mapping[str, Column], shared: Shared) -> str:
    """Return that each row has a list of replies; empty if no list rests on another text, more than that on it."""
    known = [one for one in made.values() if one.is_known(1) and len(one.values) > 1]
    listed = [one for one in known if not one.is_single]
    for one, other in ((one, other) for one in listed for other in known if one is not other):
        back = shared.beyond(other.texts, one.texts)
        if shared.beyond(one.texts, other.texts) >= max(_LEAST_LIFT, back):
            return f"A row holds several replies ({one.path}); write a row for each."
    return ""


def _words_alone(made: Mapping[str, Column], replies: Sequence[Column]) -> str:
    """Return that words which stand in the only texts of their rows could be replies; empty if there are none."""
    told = [one for one in made.values() if one.is_prose and one.ends >= _HALF and one.asks < _HALF]
    for one in made.values():
        for other in told if one.is_single and not one.is_prose and not one.is_constant else ():
            stand = [a.lower() in b.lower() for a, b in one.paired(other) if a.isalpha()]
            alone = all(reply is other for reply in replies)
            if alone and len(stand) >= _HALF * len(one.values) and share_of(stand) > _HALF:
                return (
                    f"Only words ({one.path}) could be replies that rest on {other.path}; "
                    "name both with --map if they are."
                )
    return ""
