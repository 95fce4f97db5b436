"""Claims of whole replies in plain text, for models and measures that read no sentences."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from qsquared.method.plain.claims import text_of_claims
from qsquared.method.plain.passages import read_passages
from qsquared.method.plain.reply import READING_VERSION
from qsquared.records import Failure
from qsquared.storage.tables.columns import Table
from qsquared.tasks.stage import Parameters, Row, Rows, blank_row, row_each

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
