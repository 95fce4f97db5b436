"""Judge whole responses by NLI: the end-to-end baseline and the fallback (Q², sections 2 and 5.1).

Models and measures that read no sentences are given a reply's claims in plain text.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from qsquared.method.knowledge.evidence import judgement_of_response
from qsquared.method.plain.claims import text_of_claims
from qsquared.method.plain.reply import CLAIMS, READING_VERSION, read_passages
from qsquared.method.q2.score import fallback_request
from qsquared.records import Failure, Judgement
from qsquared.storage.tables import Table
from qsquared.tasks.replies import judge_each
from qsquared.tasks.rows import blank_row, by_pair, row_each
from qsquared.tasks.stage import Parameters, Roles, Row, Rows

SENTENCES = "sentences"
"""The value of the parameter ``nli_by`` by which a response is the mean of its judged sentences."""
NLI_BY_VERSION = 3
"""Raised whenever a response's judgement would be made of its sentences in another way."""

PARAMETERS = ("fallback_premise", "nli_by", "sentences")
"""The parameters that a stage needs that judges responses."""


def judge_responses(
    roles: Roles, pairs: Sequence[Row], judged_sentences: Rows, parameters: Parameters
) -> list[Judgement | Failure]:
    """Return one judgement for each pair, or its failure.

    With ``nli_by`` it is the mean of the judgements of its sentences, which are asked for nowhere
    else; a response fails with the first of them that failed.
    With ``nli_by`` or ``sentences`` unset, or the response as premise, both texts are judged whole, as
    in the paper.

    Args:
        roles: the models.
        pairs: those that claim something, as they are read.
        judged_sentences: rows of the table `sentence_entailment`.
        parameters: those that `PARAMETERS` names.
    """
    premise = parameters["fallback_premise"]
    by_sentence = parameters["nli_by"] == SENTENCES and parameters["sentences"] == CLAIMS
    if premise != "knowledge" or not by_sentence:
        whole = [fallback_request(pair["response"], pair["knowledge"], premise) for pair in pairs]
        return judge_each(roles, whole)
    of_pair = by_pair(judged_sentences)
    return [_combined(of_pair[pair["pair_id"]]) for pair in pairs]


def _combined(rows: Rows) -> Judgement | Failure:
    failed = next((row["error"] for row in rows if row["error"] is not None), None)
    if failed is not None:
        return Failure(failed)
    return judgement_of_response(
        [Judgement(row["entailment"], row["neutral"], row["contradiction"]) for row in rows]
    )


def nli_columns(judgement: Judgement) -> Row:
    """Return a judgement as columns of a table: its label and the three probabilities."""
    return {
        "nli_label": judgement.label,
        "nli_entailment": judgement.entailment,
        "nli_neutral": judgement.neutral,
        "nli_contradiction": judgement.contradiction,
    }


Reply = TypeVar("Reply")

READING = "sentences"
"""The parameter that says how replies are read."""
READING_VERSIONS = {READING: READING_VERSION}
"""For the keys of stages that read claims by themselves, without the table `sentences`."""


def read_claims(pair: Row, parameters: Parameters) -> Row:
    """Return a pair with its claims as response and its knowledge, both in plain text.

    By the papers' rules both are as they were logged.
    The response is empty where the reply claims nothing.
    """
    reading = parameters[READING]
    return {
        "pair_id": pair["pair_id"],
        "response": text_of_claims(pair["response"], reading),
        "knowledge": [passage.text for passage in read_passages(pair["knowledge"], reading)],
    }


def row_each_claiming(
    table: Table,
    pairs: Rows,
    parameters: Parameters,
    ask: Callable[[Rows], Sequence[Reply | Failure]],
    values: Callable[[Reply], Row],
) -> Rows:
    """Return one row for each pair; without values and without an error where it claims nothing.

    Args:
        table: the stage's own table.
        pairs: the pairs as they were logged.
        parameters: those of the stage, ``sentences`` among them.
        ask: called with the pairs that claim something, as they are read; one reply for each.
        values: from a reply to the columns other than ids and error.
    """
    read = [read_claims(pair, parameters) for pair in pairs]
    claiming = [pair for pair in read if pair["response"]]
    rows = {row["pair_id"]: row for row in row_each(table, claiming, ask(claiming), values)}
    return [rows.get(pair["pair_id"]) or blank_row(table, pair) for pair in pairs]
