"""Small deterministic models for the tests of the stages: they read words, not language."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from qsquared.records import (
    Answer,
    Chunk,
    GeneratedQuestion,
    Judgement,
    ParsedText,
    Rating,
    ReplyClasses,
    Similarity,
    Support,
    Token,
)


@dataclass
class WordParser:
    """Every capitalised word is an entity; the first word of a question is its subject."""

    calls: int = 0

    def parse(self, texts):
        """Parse by regular expression."""
        self.calls += 1
        return [self._parse(text) for text in texts]

    def _parse(self, text):
        if "PARSER FAILS" in text:
            raise RuntimeError("cannot parse this")
        words = list(re.finditer(r"\w+", text))
        tokens = tuple(
            Token(m.group(), m.start(), m.end(), m.group(), "", "", "nsubj", 0, "") for m in words
        )
        entities = tuple(Chunk(m.start(), m.end(), "X") for m in words if m.group()[0].isupper())
        return ParsedText(text, tokens, ((0, len(tokens)),), entities, ())


class WordQuestions:
    """The question on a span is the response with a blank in its place, twice."""

    def generate(self, requests):
        """Make a good question and a worse one."""
        made = []
        for request in requests:
            span = request.span
            blank = request.context[: span.start] + "___" + request.context[span.end :]
            made.append(
                [
                    GeneratedQuestion(f"{blank}?", -0.5, "beam"),
                    GeneratedQuestion(f"which? {blank}?", -1.5, "beam"),
                ]
            )
        return made


@dataclass
class WordAnswers:
    """Fills the blank with the word between the same neighbours, if the text has them."""

    asked: list = field(default_factory=list)
    fail_on: str = "READER FAILS"

    def answer(self, requests):
        """Answer by the words around the blank."""
        self.asked.append(list(requests))
        return [self._answer(r.question, r.text) for r in requests]

    def _answer(self, question, text):
        if self.fail_on in text:
            raise ValueError("not finite")
        words = question.removeprefix("which? ").rstrip("?").split()
        at = words.index("___") if "___" in words else -1
        before = words[at - 1] if at > 0 else None
        found = re.search(rf"\b{re.escape(before)} (\w+)" if before else r"^(\w+)", text)
        if found is None:
            return Answer(None, None, None, -1.0, 1.0, 1)
        return Answer(found.group(1), found.start(1), found.end(1), 2.0, 0.0, 1)


class WordInference:
    """Entailment if every word of the hypothesis is in the premise, contradiction on "not"."""

    def judge(self, requests):
        """Judge by words."""
        judged = []
        for request in requests:
            if "JUDGE FAILS" in request.premise:
                raise FloatingPointError("nan")
            premise = set(re.findall(r"\w+", request.premise.lower()))
            hypothesis = set(re.findall(r"\w+", request.hypothesis.lower()))
            if "not" in premise ^ hypothesis:
                judged.append(Judgement(0.0, 0.1, 0.9))
            elif hypothesis <= premise:
                judged.append(Judgement(0.9, 0.1, 0.0))
            else:
                judged.append(Judgement(0.1, 0.8, 0.1))
        return judged


class WordSimilarity:
    """Share of the candidate's words that the reference has, and the other way round."""

    def compare(self, pairs):
        """Compare by words."""
        found = []
        for candidate, reference in pairs:
            if "COMPARE FAILS" in candidate:
                raise ValueError("cannot compare this")
            first, second = set(candidate.lower().split()), set(reference.lower().split())
            precision = len(first & second) / max(1, len(first))
            recall = len(first & second) / max(1, len(second))
            total = precision + recall
            found.append(
                Similarity(precision, recall, 2 * precision * recall / total if total else 0.0)
            )
        return found


class WordSupport:
    """Share of the hypothesis' words that the premise has."""

    def support(self, requests):
        """Judge by words."""
        found = []
        for request in requests:
            if "SUPPORT FAILS" in request.hypothesis:
                raise ValueError("cannot judge this")
            words = set(request.hypothesis.lower().split())
            shared = words & set(request.premise.lower().split())
            found.append(Support(len(shared) / max(1, len(words)), 1))
        return found


class WordClasses:
    """A reply that shares a word with the knowledge is entailed, one that begins with "hm" generic."""

    def classify(self, requests):
        """Classify by words."""
        found = []
        for request in requests:
            if "CLASSIFIER FAILS" in request.response:
                raise ValueError("cannot classify this")
            words = set(request.response.lower().split())
            if "hm" in words:
                found.append(ReplyClasses(0.0, 0.1, 0.1, 0.8, 0.0))
            elif words & set(request.knowledge.lower().split()):
                found.append(ReplyClasses(0.7, 0.1, 0.1, 0.05, 0.05))
            elif request.previous is None:
                found.append(ReplyClasses(0.2, 0.6, 0.1, 0.1, 0.0))
            else:
                found.append(ReplyClasses(0.4, 0.25, 0.3, 0.05, 0.0))
        return found


@dataclass
class WordRatings:
    """Of a text alone its number of words, of two the share of words that both have."""

    tasks: tuple = ("cola", "stsb", "rte")
    asked: list = field(default_factory=list)

    def rate(self, requests):
        """Rate by words."""
        self.asked.append(list(requests))
        return [self._rate(request) for request in requests]

    def _rate(self, request):
        if "RATER FAILS" in request.response:
            raise ValueError("cannot rate this")
        words = set(request.response.lower().split())
        if request.other is None:
            return Rating(len(words) / 10, False)
        shared = len(words & set(request.other.lower().split())) / max(1, len(words))
        return Rating(shared * (5 if request.task == "stsb" else 1), len(request.other) > 60)


@dataclass
class WordRoles:
    """The fakes together, as a profile would give them."""

    parser: WordParser = field(default_factory=WordParser)
    question_generation: WordQuestions = field(default_factory=WordQuestions)
    question_answering: WordAnswers = field(default_factory=WordAnswers)
    entailment: WordInference = field(default_factory=WordInference)
    similarity: WordSimilarity = field(default_factory=WordSimilarity)
    consistency: WordSupport = field(default_factory=WordSupport)
    reply_classification: WordClasses = field(default_factory=WordClasses)
    indicators: WordRatings = field(default_factory=WordRatings)
    support_weights: str = "compact"

    def load(self, role):
        """Nothing to load."""
