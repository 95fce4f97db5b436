"""``python -m lab.training.reading_figures``: exact match and F1 of a reader on SQuAD's kept-apart articles.

The reader reads whole paragraphs in its windows, as the pipeline does.
Answers are compared as SQuAD's own evaluation does (Rajpurkar et al. 2016, section 6.1): without case,
punctuation and articles, the best of the annotators' answers counting.
"""

import argparse
import json
import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.training.sources.collected import read_questions
from lab.training.sources.reading import Reading, is_development, read_squad
from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.method.q2.token_f1 import f1_of_tokens
from qsquared.profiles.parameters import ReadingParameters
from qsquared.records import Answer, ReadingRequest

WINDOWS = ReadingParameters(max_tokens=192, stride=64)
"""The windows of the profile ``compact``."""

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class ReadingFigures:
    """Shares, 0 to 1: of the answerable questions exact match, F1 and refusals; of the others refusals."""

    answerable: int
    exact: float
    f1: float
    refused_answerable: float
    unanswerable: int
    refused_unanswerable: float


def kept_apart(data: Path) -> list[Reading]:
    """Return SQuAD's questions on the articles that nothing was trained on, each once."""
    train = read_questions(data / "more" / "qa" / "squad-train.jsonl.gz", "squad-train")
    return [r for r in (*read_squad(data / "squad-dev"), *train) if is_development(r.group)]


def figures(
    readings: Sequence[Reading], answers: Sequence[Answer], threshold: float
) -> ReadingFigures:
    """Compare answers with the annotators'; a no-answer score above the best by ``threshold`` refuses."""
    exact, f1, refused_answerable, refused_unanswerable = [], [], [], []
    for reading, answer in zip(readings, answers, strict=True):
        refused = answer.no_answer_score - answer.score > threshold or answer.text is None
        if not reading.answers:
            refused_unanswerable.append(refused)
            continue
        refused_answerable.append(refused)
        given = [] if refused else _tokens(answer.text or "")
        exact.append(any(given == _tokens(right) for right in reading.answers))
        f1.append(max(f1_of_tokens(_tokens(right), given) for right in reading.answers))
    return ReadingFigures(
        len(exact),
        _mean(exact),
        _mean(f1),
        _mean(refused_answerable),
        len(refused_unanswerable),
        _mean(refused_unanswerable),
    )


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def _tokens(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def read(checkpoint: Path, readings: Iterable[Reading]) -> list[Answer]:
    """Return the best span of each reading, however sure the reader is that there is none."""
    always = WINDOWS.model_copy(update={"no_answer_threshold": 1e6})
    reader = ExtractiveAnswers(str(checkpoint.absolute()), parameters=always)
    return reader.answer([ReadingRequest(r.question, r.text) for r in readings])


def main() -> None:
    """Print the figures at the thresholds from -4 to 4."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.reading_figures", description=main.__doc__
    )
    parser.add_argument(
        "checkpoint", type=Path, help="folder of a reader, such as models/compact-qa"
    )
    parser.add_argument("--data", type=Path, required=True)
    arguments = parser.parse_args()
    readings = kept_apart(arguments.data)
    answers = read(arguments.checkpoint, readings)
    for threshold in range(-4, 5):
        found = figures(readings, answers, threshold)
        print(threshold, json.dumps({name: getattr(found, name) for name in found.__slots__}))


if __name__ == "__main__":
    main()
