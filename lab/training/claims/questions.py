"""Examples for the reader from the natural questions on the passages of the claims."""

from collections.abc import Iterator

from lab.training.claims.balance import KEPT_APART, read_passages
from lab.training.examples.qa import QAExample, make_qa_examples, read_whole
from lab.training.sources.reading import Reading

LONGEST_WORDS = 110
"""Passages up to this length are read whole, too: the pipeline's reader sees so much at once."""


def claim_questions(seed: int) -> Iterator[QAExample]:
    """Ask the questions on windows of their passages, and on whole passages that are short."""
    readings = [
        Reading(
            passage.group,
            question.question,
            " ".join(passage.knowledge),
            (question.answer,) if question.answer else (),
        )
        for passage in read_passages()
        if passage.source != KEPT_APART
        for question in passage.questions
    ]
    yield from make_qa_examples(readings, [], seed)
    for reading in readings:
        if len(reading.text.split()) <= LONGEST_WORDS:
            example = read_whole(reading, "passage")
            if example is not None:
                yield example
