"""BEGIN's questionnaire for people, and the label that follows (Dziri et al. 2021, appendices A and B).

One annotator judges one sentence of a reply.
Later questions are asked only after certain answers to earlier ones; an answer off its branch does
not count.
The wording is ours and keeps the paper's meaning.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from qsquared.method.begin.taxonomy import (
    CONTRADICTION,
    ENTAILMENT,
    GENERIC,
    HALLUCINATION,
    OFF_TOPIC,
)

AGREES = 4
"""On the scale of 1 (not at all) to 5 (fully) this is yes.

Appendix A has 1 to 3 as no for the topic; the other cut-offs of appendix B are lost in the text.
"""

SCALE = ("1", "2", "3", "4", "5")
KINDS = ("generic", "off-topic", "both", "neither")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its possible answers, and the earlier question that decides if it is asked.

    It is asked always, or if the answer to ``after`` is yes (``when``), or if it is no.
    """

    name: str
    place: str
    text: str
    answers: tuple[str, ...] = SCALE
    after: str = ""
    when: bool = True


QUESTIONS = (
    Question("same_topic", "1", "Is the sentence about the topic of the knowledge?"),
    Question(
        "kind",
        "1a",
        "Is it generic, off-topic, both, or neither?",
        KINDS,
        after="same_topic",
        when=False,
    ),
    Question(
        "cooperative",
        "2",
        "Is it relevant: would a cooperative speaker say it, who neither misleads nor changes the "
        "topic nor refuses help?",
    ),
    Question("personal", "3", "Does it tell of personal experiences or opinions?"),
    Question(
        "informative",
        "3a",
        "Is a part of it meant to inform, true or not?",
        after="personal",
        when=False,
    ),
    Question(
        "contradicting",
        "3a.i",
        "Does the knowledge contradict that information, in part or in full?",
        after="informative",
    ),
    Question("supported", "3a.ii", "Does the knowledge support all of it?", after="informative"),
)
"""The questions of appendix A in their order; ``place`` is their number there."""

_BY_NAME = {question.name: question for question in QUESTIONS}


def is_asked(question: Question, given: Mapping[str, str]) -> bool:
    """Whether a question follows from the answers before it."""
    if not question.after:
        return True
    earlier = given.get(question.after, "")
    if not is_asked(_BY_NAME[question.after], given) or earlier not in SCALE:
        return False
    return (int(earlier) >= AGREES) == question.when


def first_mistake(given: Mapping[str, str]) -> str:
    """Return the name of the first asked question without a possible answer; empty if all have one."""
    for question in QUESTIONS:
        if is_asked(question, given) and given.get(question.name, "") not in question.answers:
            return question.name
    return ""


def annotated_label(given: Mapping[str, str]) -> str:
    """Return the label of complete answers, by the precedence of appendix B.

    Generic, else off-topic; else hallucination, for a personal statement or for information that is
    not all supported; else contradiction; else entailment.
    A sentence that neither informs nor tells of its speaker is a hallucination, unless it is generic
    or off-topic, as in the published development file.
    """
    asked = {
        question.name: given[question.name] for question in QUESTIONS if is_asked(question, given)
    }
    kind = asked.get("kind", "neither")
    if kind in {"generic", "both"}:
        return GENERIC
    if kind == "off-topic":
        return OFF_TOPIC
    if int(asked["personal"]) >= AGREES or int(asked.get("supported", 0)) < AGREES:
        return HALLUCINATION
    return CONTRADICTION if int(asked["contradicting"]) >= AGREES else ENTAILMENT
