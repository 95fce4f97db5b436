"""Refusals whose question the knowledge answers, as far as the QA model can tell."""

from collections.abc import Sequence

from qsquared.method.plain.passages import read_passages
from qsquared.method.plain.reply import CLAIMS
from qsquared.method.q2.refusal import open_question
from qsquared.records import Failure, ReadingRequest
from qsquared.tasks.asking.replies import answer_each
from qsquared.tasks.stage import Roles, Row, Rows

REFUSAL = "refusal"


def answerable_refusals(
    pairs: Rows, sentences: Rows, roles: Roles
) -> dict[tuple[str, int], bool | Failure]:
    """Return whether the knowledge answers each refusal; those that name no question are left out.

    Args:
        pairs: the pairs.
        sentences: the rows of the table `sentences`.
        roles: the models.
    """
    knowledge = {pair["pair_id"]: pair["knowledge"] for pair in pairs}
    asked: list[tuple[Row, Sequence[ReadingRequest]]] = []
    for row in sentences:
        question = open_question(row["text"]) if row["kind"] == REFUSAL else None
        if question is not None:
            passages = read_passages(knowledge[row["pair_id"]], CLAIMS)
            asked.append((row, [ReadingRequest(question, text.text) for text in passages]))
    replies = iter(answer_each(roles, [request for _, own in asked for request in own]))
    found: dict[tuple[str, int], bool | Failure] = {}
    for row, own in asked:
        answers = [next(replies) for _ in own]
        failure = next((one for one in answers if isinstance(one, Failure)), None)
        found[row["pair_id"], row["sentence"]] = failure or any(
            not isinstance(one, Failure) and one.text is not None for one in answers
        )
    return found
