"""Question generation, reading and judging by a server, each behind its protocol."""

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

from qsquared.language.endpoint.answers import (
    Form,
    Questions,
    QuotedVerdict,
    ReadAnswer,
    Verdict,
    judgement,
    read_questions,
    read_quotation,
    read_span,
)
from qsquared.language.endpoint.exchange import Exchange, exchange_with
from qsquared.language.endpoint.prompts import Request, Shares, load_prompts
from qsquared.profiles.endpoints import EndpointRole
from qsquared.protocols import PartlyAnsweredError
from qsquared.records import (
    Answer,
    Failure,
    GeneratedQuestion,
    InferenceRequest,
    Judgement,
    QuestionRequest,
    ReadingRequest,
    Support,
)

Value = TypeVar("Value")

_PHRASES = 20
"""Phrases that one request asks for questions on."""
_READING = 1
"""Raised whenever an answer would be read in another way."""


class _Served:
    """A role of a server; ``prompts`` are those that it asks with."""

    prompt_names: tuple[str, ...] = ()

    def __init__(self, role: EndpointRole) -> None:
        every = load_prompts(role.prompts)
        self.prompts = {name: every[name] for name in self.prompt_names}
        self.exchange: Exchange = exchange_with(role.endpoint)

    @property
    def name(self) -> str:
        """The model, as failures name it."""
        return self.exchange.endpoint.model

    @property
    def identity(self) -> str:
        """Model, prompts and parameters; neither the address nor the key."""
        endpoint = self.exchange.endpoint
        prompts = "+".join(prompt.identity for prompt in self.prompts.values())
        parameters = json.dumps(endpoint.parameters, sort_keys=True)
        return f"endpoint/{_READING}:{endpoint.model}@{prompts}+{parameters}"

    def _ask(
        self, name: str, form: type[Form], texts: Sequence[dict[str, str]], read: Sequence[Any]
    ) -> list[Any]:
        """Ask with a prompt about several texts, each of whose answers is read in its own way."""
        prompt = self.prompts[name]
        return self.exchange.ask(
            [Request(prompt, form, *one) for one in zip(texts, read, strict=True)]
        )


class EndpointQuestions(_Served):
    """Questions on the phrases of a text, all of a text in a few requests.

    So a question may depend on the other phrases of its text; the stage always asks for all of them.
    """

    prompt_names = ("generate",)

    def generate(self, requests: Sequence[QuestionRequest]) -> list[list[GeneratedQuestion]]:
        """Return the distinct questions on each span.

        Raises:
            PartlyAnsweredError: some requests have no sound answer.
            EndpointError: the server cannot be asked.
        """
        by_text: dict[str, list[QuestionRequest]] = defaultdict(list)
        for request in dict.fromkeys(requests):
            by_text[request.context].append(request)
        groups = [
            own[start : start + _PHRASES]
            for own in by_text.values()
            for start in range(0, len(own), _PHRASES)
        ]
        texts = [
            {
                "text": group[0].context,
                "phrases": "\n".join(
                    f"{i}. {one.span.text}" for i, one in enumerate(group, start=1)
                ),
            }
            for group in groups
        ]
        read = [lambda answer, _, group=group: read_questions(answer, group) for group in groups]
        found: dict[QuestionRequest, list[GeneratedQuestion] | Failure] = {}
        for group, reply in zip(groups, self._ask("generate", Questions, texts, read), strict=True):
            each = [reply] * len(group) if isinstance(reply, Failure) else reply
            found |= dict(zip(group, each, strict=True))
        return _whole([found[request] for request in requests])


class EndpointReader(_Served):
    """Answers as exact words of a text."""

    prompt_names = ("read",)

    def answer(self, requests: Sequence[ReadingRequest]) -> list[Answer]:
        """Return one answer for each request; its score is 1 where there is one, else 0.

        Raises:
            PartlyAnsweredError: some requests have no sound answer.
            EndpointError: the server cannot be asked.
        """
        texts = [{"question": one.question, "text": one.text} for one in requests]
        read = [lambda answer, _, text=one.text: read_span(answer, text) for one in requests]
        return _whole(self._ask("read", ReadAnswer, texts, read))


class EndpointJudge(_Served):
    """Judgements of entailment; a sentence of a reply with the words of the knowledge that decide."""

    prompt_names: tuple[str, ...] = ("judge", "judge_claim")

    def judge(self, requests: Sequence[InferenceRequest]) -> list[Judgement]:
        """Return one judgement for each request.

        Raises:
            PartlyAnsweredError: some requests have no sound answer.
            EndpointError: the server cannot be asked.
        """
        return _whole(
            self._ask("judge", Verdict, _texts(requests), [_read_verdict] * len(requests))
        )

    def judge_claims(self, requests: Sequence[InferenceRequest]) -> list[Judgement]:
        """Return one judgement for each sentence, whose quotation stands in its knowledge.

        Raises:
            PartlyAnsweredError: some requests have no sound answer.
            EndpointError: the server cannot be asked.
        """
        read = [partial(_read_quoted, one.premise) for one in requests]
        return _whole(self._ask("judge_claim", QuotedVerdict, _texts(requests), read))


class EndpointSupport(EndpointJudge):
    """The probability that a text supports another one, by the judgement with quotation."""

    prompt_names = ("judge_claim",)

    def support(self, requests: Sequence[InferenceRequest]) -> list[Support]:
        """Return one probability for each request, read in one piece.

        Raises:
            PartlyAnsweredError: some requests have no sound answer.
            EndpointError: the server cannot be asked.
        """
        try:
            judged: Sequence[Judgement | Failure] = self.judge_claims(requests)
        except PartlyAnsweredError as partly:
            raise PartlyAnsweredError(list(map(_support, partly.replies))) from None
        return [Support(one.entailment, 1) for one in judged if isinstance(one, Judgement)]


def _whole(replies: list[Value | Failure]) -> list[Value]:
    """Return replies that have no failure among them.

    Raises:
        PartlyAnsweredError: one has.
    """
    if any(isinstance(reply, Failure) for reply in replies):
        raise PartlyAnsweredError(replies)
    return replies  # type: ignore[return-value]


def _support(judged: Judgement | Failure) -> Support | Failure:
    return judged if isinstance(judged, Failure) else Support(judged.entailment, 1)


def _texts(requests: Sequence[InferenceRequest]) -> list[dict[str, str]]:
    return [{"premise": one.premise, "hypothesis": one.hypothesis} for one in requests]


def _read_verdict(answer: Verdict, chances: Shares) -> Judgement:
    return judgement(answer.verdict, chances)


def _read_quoted(knowledge: str, answer: QuotedVerdict, chances: Shares) -> Judgement:
    return judgement(answer.verdict, chances, read_quotation(answer, knowledge))
