"""Sentences of a logged reply: their plain text, their kinds, their places in the log; knowledge in plain text."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from qsquared.method.plain.language_detection import chance_of_other_language
from qsquared.method.plain.markup.blocks import HEADING, blocks, plain_text
from qsquared.method.plain.markup.offset_mapping import Mapped
from qsquared.method.plain.markup.patterns import pattern
from qsquared.method.plain.markup.wrapping import unwrapped, without_prompt
from qsquared.method.plain.sentence_kinds import CLAIM, KINDS, OTHER_LANGUAGE, WHOLE, kind_of
from qsquared.method.plain.sentences import sentences

CLAIMS = "claims"
"""Replies are read as plain sentences, and knowledge as plain text."""
READING_VERSION = 18
"""Raised whenever a reply would be read as other sentences; part of the keys of stages that read replies."""
READINGS = (CLAIMS, None)
"""The values of the parameter `sentences`; without it texts are read as logged, as in the papers."""

_SAID = {CLAIM, OTHER_LANGUAGE}
"""Kinds of sentences that need knowledge."""
_LONGEST_POLITE = 600
_WORDS_OF_SIGNATURE = 6
_MARKS = re.compile(r"[\"“”„«»]")
_DOTS, _SPACES = re.compile(r"\s{0,20}(?:\.{2,20}|…)\s{0,20}(?=\w)"), re.compile(r"\s{2,}|[^\S ]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a reply.

    ``start`` and ``end`` are characters of the logged reply, ``claim_start`` and ``claim_end`` those
    of the plain ``text`` that the claim takes; ``runs`` map the text to the logged reply
    (`Mapped.runs`).
    ``certainty`` is the probability of ``kind`` (`Kind`); None for a reply that is read as logged.
    """

    start: int
    end: int
    text: str
    kind: str
    claim_start: int
    claim_end: int
    runs: tuple[int, ...]
    certainty: float | None = None


def reply_sentences(logged: str) -> list[Sentence]:
    """Return the sentences of a reply in order.

    A reply without a word has one sentence of the kind `symbols`.
    """
    reply = list(_with_signature(_of_blocks(logged)))
    reply = _without_quoted(_with_letter_head(_with_name_below(reply)))
    reply = _in_other_language(reply, logged)
    if not reply:
        return [Sentence(0, len(logged), "", "symbols", 0, 0, (), 1.0)]
    if all(sentence.kind in (HEADING, "sign_off") for sentence in reply):
        # "**40 euros**" is no heading where there is nothing under it.
        headings = [n for n, sentence in enumerate(reply) if sentence.kind == HEADING]
        reply = _laid_out(reply, CLAIM, [n for n in headings if not reply[n].text.endswith(":")])
    return reply


def read_reply(logged: str, reading: str | None) -> list[Sentence]:
    """Return the sentences of a reply, or the whole of it as one claim.

    Raises:
        ValueError: ``reading`` is not one of ``READINGS``.
    """
    if reading not in READINGS:
        raise ValueError(f"unknown reading {reading!r}, expected one of {READINGS}")
    return reply_sentences(logged) if reading == CLAIMS else [whole_reply(logged)]


def whole_reply(logged: str) -> Sentence:
    """Return the whole reply as one claim, as the paper reads it."""
    runs = tuple(Mapped.of(logged).runs())
    return Sentence(0, len(logged), logged, WHOLE, 0, len(logged), runs)


def claims_nothing(logged: str) -> bool:
    """Whether a reply needs no knowledge: a greeting, thanks, a question or a refusal.

    One of more than 600 characters is taken as a claim; to read it would take time.
    """
    short = len(logged) <= _LONGEST_POLITE
    return short and not _SAID & {sentence.kind for sentence in reply_sentences(logged)}


def kind_of_reply(kinds: list[str]) -> str:
    """Return the weightiest kind of the sentences of a reply."""
    return min(kinds, key=KINDS.index)


def _in_other_language(reply: list[Sentence], logged: str) -> list[Sentence]:
    """Take the claims, or else all sentences, as not read where they are in another language."""
    asked = [sentence for sentence in reply if sentence.kind == CLAIM] or reply
    chance = chance_of_other_language([sentence.text for sentence in asked])
    if chance:
        # 'The sign says: "…"' has lost its quotation marks.
        marked = [_with_quotation_marks(sentence, logged) for sentence in asked]
        chance = chance_of_other_language(marked)
    if not chance:
        return reply
    return [
        replace(sentence, kind=OTHER_LANGUAGE, certainty=round(chance, 4))
        if sentence in asked
        else sentence
        for sentence in reply
    ]


def _with_quotation_marks(sentence: Sentence, logged: str) -> str:
    """Return the text of a sentence, or its part of the log if quotation marks were taken off there."""
    part = logged[sentence.start : sentence.end]
    return part if len(_MARKS.findall(part)) > len(_MARKS.findall(sentence.text)) else sentence.text


def _laid_out(reply: list[Sentence], kind: str, numbers: Container[int]) -> list[Sentence]:
    """Return sentences, some of which have the kind that their place in the reply gives them."""
    return [
        replace(sentence, kind=kind, certainty=1.0) if number in numbers else sentence
        for number, sentence in enumerate(reply)
    ]


def _of_blocks(logged: str) -> Iterator[Sentence]:
    for block in blocks(without_prompt(unwrapped(without_prompt(Mapped.of(logged))))):
        text = _unquoted(block.text)
        for start, end in sentences(text.text):
            sentence = text.part(start, end).replaced(_SPACES, " ")
            if not any(character.isalnum() for character in sentence.text):
                continue
            kind = kind_of(sentence.text, block.kind)
            bounds = sentence.logged(0, len(sentence.text))
            yield Sentence(
                *bounds, sentence.text, kind.name, kind.start, kind.end,
                tuple(sentence.runs()), kind.certainty,
            )  # fmt: skip


def _unquoted(text: Mapped) -> Mapped:
    """Take the quotation marks off words of a document that a colon announces, and dots before all."""
    dots = _DOTS.match(text.text)
    if dots:
        text = text.part(dots.end(), len(text.text))
    quoted = pattern("announced").finditer(text.text)
    return text.edited((*match.span(mark), "") for match in quoted for mark in (1, 2))


def _with_letter_head(reply: list[Sentence]) -> list[Sentence]:
    """Take dates and lines such as "Subject: …" above the greeting of a letter as headings."""
    if len(reply) > 1 and pattern("subject").match(reply[0].text):
        reply = _laid_out(reply, HEADING, {0})
    greeting = next((i for i, sentence in enumerate(reply) if sentence.kind == "greeting"), 0)
    headed = all(pattern("letter_head").match(sentence.text) for sentence in reply[:greeting])
    return _laid_out(reply, HEADING, range(greeting)) if headed else reply


def _with_name_below(reply: list[Sentence]) -> list[Sentence]:
    """Take a name alone at the end, after thanks or an offer, as the signature."""
    if len(reply) < 3 or not pattern("name").match(reply[-1].text):
        return reply
    *above, last = [sentence.kind for sentence in reply]
    signed = last == CLAIM and CLAIM in above and above[-1] in ("thanks", "offer", "sign_off")
    return _laid_out(reply, "sign_off", {len(above)}) if signed else reply


def _without_quoted(reply: list[Sentence]) -> list[Sentence]:
    """Take what follows the line above a quoted message as its source."""
    lines = [sentence.text for sentence in reply]
    quoted = (
        n for n in range(1, len(lines)) if pattern("quoted").match("\n".join(lines[n : n + 2]))
    )
    return _laid_out(reply, "source", range(next(quoted, len(reply)), len(reply)))


def _with_signature(reply: Iterator[Sentence]) -> Iterator[Sentence]:
    """Take short lines after a closing such as "Kind regards," as its signature."""
    signing = False
    for sentence in reply:
        short = len(sentence.text.split()) <= _WORDS_OF_SIGNATURE
        ended = sentence.text.endswith((".", "!", "?", ":")) and not pattern("firm").search(
            sentence.text
        )
        line = (short and not ended) or pattern("contact").match(sentence.text)
        if signing and line and sentence.kind in (CLAIM, HEADING):
            yield replace(sentence, kind="sign_off", certainty=1.0)
        else:
            signing = sentence.kind == "sign_off" and not ended
            yield sentence


def read_passages(knowledge: Sequence[str], reading: str | None) -> list[Mapped]:
    """Return the passages as they are read: in plain text beside claims, else as logged.

    A passage that is nothing but marks is read as logged.
    """
    if reading != CLAIMS:
        return [Mapped.of(passage) for passage in knowledge]
    return [
        text if (text := plain_text(passage)).text else Mapped.of(passage) for passage in knowledge
    ]
