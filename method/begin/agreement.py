"""Majority labels of several annotators, and their agreement (Dziri et al. 2021, section 2.3)."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from qsquared.method.begin.questionnaire import QUESTIONS, SCALE, annotated_label, is_asked
from qsquared.method.begin.taxonomy import three_way

Filled = tuple[str, str, Mapping[str, str]]
"""An annotator, a sentence, and the annotator's answers about it."""

MEAN = "mean of the questions"


def majority_label(labels: Iterable[str]) -> str | None:
    """Return the label that most annotators gave; ``None`` if two labels share the first place."""
    ranked = Counter(labels).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def agreement(filled: Sequence[Filled]) -> dict[str, float | str]:
    """Return Krippendorff's alpha of the labels and of each question, or why it has none.

    As in the paper an answer on the scale disagrees by its distance from another, here its square,
    and each question is counted for itself, among those who were asked it.
    Labels and kinds of a reply are nominal.
    """
    from nltk.metrics.distance import binary_distance, interval_distance

    labels = [(who, unit, annotated_label(answers)) for who, unit, answers in filled]
    found = {
        "five-way": _alpha(labels, binary_distance),
        "three-way": _alpha(
            [(who, unit, three_way(one)) for who, unit, one in labels], binary_distance
        ),
    }
    for question in QUESTIONS:
        on_scale = question.answers == SCALE
        given = [
            (who, unit, int(answers[question.name]) if on_scale else answers[question.name])
            for who, unit, answers in filled
            if is_asked(question, answers)
        ]
        name = f"question {question.place}, {question.name}"
        found[name] = _alpha(given, interval_distance if on_scale else binary_distance)
    of_questions = [
        one for name, one in found.items() if name.startswith("question") and isinstance(one, float)
    ]
    if of_questions:
        found[MEAN] = fmean(of_questions)
    return found


def _alpha(
    triples: Sequence[tuple[str, str, Any]], distance: Callable[[Any, Any], float]
) -> float | str:
    """Return alpha for annotators, sentences and answers; a sentence of one annotator is left out."""
    from nltk.metrics.agreement import AnnotationTask

    several = Counter(unit for _, unit, _ in triples)
    kept = [triple for triple in triples if several[triple[1]] > 1]
    if not kept:
        return "not defined, as no sentence has two annotators"
    if len({answer for _, _, answer in kept}) == 1:
        return "not defined, as all answers are the same"
    return float(AnnotationTask(data=kept, distance=distance).alpha())
