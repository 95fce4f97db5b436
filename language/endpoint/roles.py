"""Question generation, reading and judging by a server, each behind its protocol.

A request without a sound answer has a failure in the place of its reply.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from qsquared.language.endpoint import parsing
from qsquared.language.endpoint.exchange import Exchange, exchange_with
from qsquared.language.endpoint.prompts import Request, Shares, load_prompts
from qsquared.profiles.endpoints import EndpointRole
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
        self, name: str, form: type[parsing.Form], texts: Iterable[tuple[dict[str, str], Any]]
    ) -> list[Any]:
        """Ask with a prompt about several texts, each with the function that reads its answer."""
        prompt = self.prompts[name]
        return self.exchange.ask([Request(prompt, form, *item) for item in texts])


class EndpointQuestions(_Served):
    """Questions on the phrases of a text, all of a text in a few requests.

    So a question may depend on the other phrases of its text; the stage always asks for all of them.
    """

    prompt_names = ("generate",)

    def generate(
        self, requests: Sequence[QuestionRequest]
    ) -> list[list[GeneratedQuestion] | Failure]:
        """Return the distinct questions on each span; a failure where there is no sound answer.

        Raises:
            EndpointError: the server cannot be asked.
        """
        by_text: dict[str, list[QuestionRequest]] = defaultdict(list)
        for request in dict.fromkeys(requests):
            by_text[request.context].append(request)
        groups = [
            of_text[start : start + _PHRASES]
            for of_text in by_text.values()
            for start in range(0, len(of_text), _PHRASES)
        ]
        texts = [
            (
                {"text": group[0].context, "phrases": _numbered(group)},
                lambda answer, _, group=group: parsing.read_questions(answer, group),
            )
            for group in groups
        ]
        questions: dict[QuestionRequest, list[GeneratedQuestion] | Failure] = {}
        for group, reply in zip(
            groups, self._ask("generate", parsing.Questions, texts), strict=True
        ):
            replies = [reply] * len(group) if isinstance(reply, Failure) else reply
            questions |= dict(zip(group, replies, strict=True))
        return [questions[request] for request in requests]


class EndpointReader(_Served):
    """Answers as exact words of a text."""

    prompt_names = ("read",)

    def answer(self, requests: Sequence[ReadingRequest]) -> list[Answer | Failure]:
        """Return one answer for each request; its score is 1 where there is one, else 0.

        Raises:
            EndpointError: the server cannot be asked.
        """
        texts = [
            (
                {"question": request.question, "text": request.text},
                lambda answer, _, text=request.text: parsing.read_span(answer, text),
            )
            for request in requests
        ]
        return self._ask("read", parsing.ReadAnswer, texts)


class EndpointSupport(_Served):
    """The probability that a text supports another one, by the judgement with quotation."""

    prompt_names: tuple[str, ...] = ("judge_claim",)

    def judge_claims(self, requests: Sequence[InferenceRequest]) -> list[Judgement | Failure]:
        """Return one judgement for each sentence, whose quotation stands in its knowledge.

        Raises:
            EndpointError: the server cannot be asked.
        """
        texts = [(_texts(request), partial(_read_quoted, request.premise)) for request in requests]
        return self._ask("judge_claim", parsing.QuotedVerdict, texts)

    def support(self, requests: Sequence[InferenceRequest]) -> list[Support | Failure]:
        """Return one probability for each request, read in one piece.

        Raises:
            EndpointError: the server cannot be asked.
        """
        return [
            judged if isinstance(judged, Failure) else Support(judged.entailment, 1)
            for judged in self.judge_claims(requests)
        ]


class EndpointJudge(EndpointSupport):
    """Judgements of entailment; a sentence of a reply with the words of the knowledge that decide."""

    prompt_names = ("judge", "judge_claim")

    def judge(self, requests: Sequence[InferenceRequest]) -> list[Judgement | Failure]:
        """Return one judgement for each request.

        Raises:
            EndpointError: the server cannot be asked.
        """
        texts = [(_texts(request), _read_verdict) for request in requests]
        return self._ask("judge", parsing.Verdict, texts)


def _numbered(group: Sequence[QuestionRequest]) -> str:
    return "\n".join(f"{i}. {request.span.text}" for i, request in enumerate(group, start=1))


def _texts(request: InferenceRequest) -> dict[str, str]:
    return {"premise": request.premise, "hypothesis": request.hypothesis}


def _read_verdict(answer: parsing.Verdict, chances: Shares) -> Judgement:
    return parsing.judgement(answer.verdict, chances)


def _read_quoted(knowledge: str, answer: parsing.QuotedVerdict, chances: Shares) -> Judgement:
    return parsing.judgement(answer.verdict, chances, parsing.read_quotation(answer, knowledge))
