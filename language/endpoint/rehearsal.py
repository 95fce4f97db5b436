"""Stand-ins for answers, by which a run is rehearsed to count its requests beforehand.

A question quotes its phrase, and is answered with it where it stands, else with other words; so as
many questions are valid as can be, and the estimate is rather too high than too low.
"""

import re
from collections.abc import Mapping, Sequence

from qsquared.language.endpoint.answers import (
    AskedQuestion,
    Form,
    Questions,
    QuotedVerdict,
    ReadAnswer,
    Verdict,
    find_words,
    read_span,
)
from qsquared.records import (
    Answer,
    GeneratedQuestion,
    InferenceRequest,
    Judgement,
    QuestionRequest,
    ReadingRequest,
    Support,
)

_QUOTED = re.compile("«(.*)»", re.DOTALL)
_NUMBERED = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)


def stand_in(prompt: str, values: Mapping[str, str]) -> Form:
    """Return an answer to a prompt, without a model."""
    if prompt == "generate":
        phrases = _NUMBERED.findall(values["phrases"])
        return Questions(
            questions=[
                AskedQuestion(phrase=int(i), question=_question(text)) for i, text in phrases
            ]
        )
    if prompt == "read":
        return ReadAnswer(answer=_words(values["question"], values["text"]))
    if prompt == "judge":
        return Verdict(verdict="neutral")
    return QuotedVerdict(quotation="", verdict="neutral")


def _question(phrase: str) -> str:
    return f"Which words of the text are «{phrase}»?"


def _words(question: str, text: str) -> str:
    quoted = _QUOTED.search(question)
    if quoted and find_words(quoted[1], text):
        return quoted[1]
    return next(iter(text.split()), "")


class StandIns:
    """Stand-ins for the roles of a profile that no server plays."""

    identity = name = "stand-in"

    def generate(self, requests: Sequence[QuestionRequest]) -> list[list[GeneratedQuestion]]:
        """Return one question on each span, which quotes it."""
        return [[GeneratedQuestion(_question(one.span.text), None, "beam")] for one in requests]

    def answer(self, requests: Sequence[ReadingRequest]) -> list[Answer]:
        """Return the quoted words, or others."""
        return [
            read_span(ReadAnswer(answer=_words(one.question, one.text)), one.text)
            for one in requests
        ]

    def judge(self, requests: Sequence[InferenceRequest]) -> list[Judgement]:
        """Return that nothing is entailed or contradicted."""
        return [Judgement(0.0, 1.0, 0.0) for _ in requests]

    def support(self, requests: Sequence[InferenceRequest]) -> list[Support]:
        """Return that nothing is supported."""
        return [Support(0.0, 1) for _ in requests]
