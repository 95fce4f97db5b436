"""The choice among the answers that several passages give to one question."""

from collections.abc import Sequence

from qsquared.records import Answer


def best_passage(answers: Sequence[Answer]) -> tuple[int, Answer]:
    """Return the passage whose answer stands out most against its own no-answer choice.

    This is the SQuAD 2.0 rule over windows, applied to passages; ties go to the earlier one.
    """
    return max(
        enumerate(answers),
        key=lambda item: (
            item[1].text is not None,
            item[1].windows > 0,
            item[1].score - item[1].no_answer_score,
            -item[0],
        ),
    )
