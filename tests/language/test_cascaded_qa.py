"""A reader that asks a larger one where it is unsure."""

from __future__ import annotations

from dataclasses import dataclass, field

from qsquared.language.cascaded_qa import CascadedAnswers
from qsquared.language.models import build_models
from qsquared.profiles.loading import get_profile
from qsquared.protocols import AnswerOnKnowledge
from qsquared.records import Answer, ReadingRequest


@dataclass
class Reader:
    """A reader with an answer for each question, which notes what it is asked."""

    identity: str
    answers: dict[str, Answer]
    asked: list[str] = field(default_factory=list)

    def answer(self, requests: list[ReadingRequest]) -> list[Answer]:
        """Answer and note each question."""
        self.asked += [request.question for request in requests]
        return [self.answers[request.question] for request in requests]


def reading(text: str | None, score: float, no_answer: float, windows: int = 1) -> Answer:
    """An answer at the beginning of its text, or none."""
    bounds = (None, None) if text is None else (0, len(text))
    return Answer(text, *bounds, score, no_answer, windows)


SURE, UNSURE = reading("1894", 9.0, 2.0), reading("eight years", 6.0, 1.0)
REFUSED, UNREAD = reading(None, -12.0, 9.0), reading(None, 0.0, 0.0, windows=0)
BETTER = reading("London", 9.0, 1.0)
TEXTS = [ReadingRequest(name, "The bridge was opened.") for name in ("a", "b", "c", "d")]


def cascade(margin: float = 6.0) -> tuple[CascadedAnswers, Reader, Reader]:
    """Two readers, of which the first is sure of `a` and `c`, unsure of `b`, and cannot read `d`."""
    first = Reader("small", dict(zip("abcd", (SURE, UNSURE, REFUSED, UNREAD), strict=True)))
    second = Reader("large", dict.fromkeys("abcd", BETTER))
    return CascadedAnswers(first, second, margin), first, second  # type: ignore[arg-type]


def test_the_second_reader_answers_on_the_knowledge_what_the_first_is_unsure_of() -> None:
    """An answer or refusal that the first is sure of, and a text that it cannot read, stay its own."""
    reader, _, second = cascade()
    assert reader.answer_on_knowledge(TEXTS) == [SURE, BETTER, REFUSED, UNREAD]
    assert second.asked == ["b"]


def test_replies_are_read_by_the_first_reader_alone() -> None:
    """The round trip filters the same questions with a second reader as without one."""
    reader, _, second = cascade()
    assert reader.answer(TEXTS) == [SURE, UNSURE, REFUSED, UNREAD]
    assert second.asked == []


def test_a_cascade_is_known_by_both_readers_and_its_margin() -> None:
    """So answers of another cascade are never reused."""
    identity = cascade()[0].identity
    assert "small" in identity
    assert "large" in identity
    assert identity != cascade(margin=3.0)[0].identity


def test_the_profile_base_asks_a_larger_reader() -> None:
    """Its first reader is that of `compact`."""
    reader = build_models(get_profile("base")).question_answering
    assert isinstance(reader, CascadedAnswers)
    assert isinstance(reader, AnswerOnKnowledge)
    assert reader.first.checkpoint == "bundled:compact-qa"
    assert get_profile("base").roles["question_answering.second"].checkpoint == "bundled:base-qa"
    assert not isinstance(
        build_models(get_profile("compact")).question_answering, AnswerOnKnowledge
    )
