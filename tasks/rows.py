"""Rows of the tables that stages read and make: one for each reply, one for a failure, and their keys."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from qsquared.method.plain.reply import READING_VERSION, read_passages
from qsquared.method.plain.reply_claims import text_of_claims
from qsquared.records import Failure
from qsquared.storage.tables import Table
from qsquared.tasks.stage import Parameters, Row, Rows, Tables

Reply = TypeVar("Reply")

_UNITS = ("situation_id", "pair_id")
_PARTS = (*_UNITS, "sentence", "span_index", "rank")
"""The columns that tell what a row is about: a unit, and a sentence, a span or a question of it."""

READING = "sentences"
"""The parameter that says how replies are read."""
READING_VERSIONS = {READING: READING_VERSION}
"""For the keys of stages that read claims by themselves, without the table `sentences`."""


def sound_row(table: Table, about: Row, values: Row) -> Row:
    """Return a row without an error; columns without a value are NULL.

    Args:
        table: the stage's own table.
        about: a row on the same unit, sentence, span or question.
        values: the columns that are the stage's own.
    """
    return _row(table, about, _PARTS) | values


def blank_row(table: Table, unit: Row) -> Row:
    """Return the row of a pair or situation that a stage has nothing to say of, which is no failure."""
    return _row(table, unit, _UNITS)


def failed_row(table: Table, unit: Row, reason: str) -> Row:
    """Return the row of a pair or situation on which a stage failed; other columns are NULL.

    Args:
        table: the stage's own table.
        unit: a row with the ids of the pair or situation.
        reason: why it failed.
    """
    return blank_row(table, unit) | {"error": f"{table.name}: {reason}"}


def _row(table: Table, about: Row, names: Sequence[str]) -> Row:
    row: Row = dict.fromkeys(column.name for column in table.columns)
    return row | {name: about[name] for name in names if name in row and name in about}


def rows_each(
    table: Table,
    about: Rows,
    replies: Iterable[Reply | Failure],
    values: Callable[[Row, Reply], Rows],
) -> Rows:
    """Return the rows that follow from each reply, or one for its failure.

    Args:
        table: the stage's own table.
        about: a row for each reply, on the same unit, sentence, span or question.
        replies: one for each of these, in order.
        values: from such a row and its reply to the columns of rows that are the stage's own.
    """
    rows: Rows = []
    for unit, reply in zip(about, replies, strict=True):
        if isinstance(reply, Failure):
            rows.append(failed_row(table, unit, reply.reason))
        else:
            rows += [sound_row(table, unit, columns) for columns in values(unit, reply)]
    return rows


def row_each(
    table: Table,
    about: Rows,
    replies: Iterable[Reply | Failure],
    values: Callable[[Reply], Row],
) -> Rows:
    """Return the row that follows from each reply, or that of its failure, as `rows_each` does."""
    return rows_each(table, about, replies, lambda _, reply: [values(reply)])


def whole(replies: Iterable[Reply | Failure]) -> list[Reply] | Failure:
    """Return replies, or the first failure among them."""
    sound_replies = []
    for reply in replies:
        if isinstance(reply, Failure):
            return reply
        sound_replies.append(reply)
    return sound_replies


def sound(rows: Rows) -> Rows:
    """Return the rows on which nothing failed."""
    return [row for row in rows if row["error"] is None]


def first_errors(tables: Tables, names: Iterable[str]) -> dict[str, str]:
    """Return pair → the first error on it in the tables of these names."""
    errors: dict[str, str] = {}
    for name in names:
        for row in tables[name]:
            if row["error"] is not None:
                errors.setdefault(row["pair_id"], row["error"])
    return errors


def by_pair(rows: Rows) -> dict[str, Rows]:
    """Return pair → its rows; none for any other pair."""
    grouped: dict[str, Rows] = defaultdict(list)
    for row in rows:
        grouped[row["pair_id"]].append(row)
    return grouped


def span_of(row: Row) -> tuple[str, int]:
    """Return the key of a row's span, over all pairs."""
    return row["pair_id"], row["span_index"]


def question_of(row: Row) -> tuple[str, int, int]:
    """Return the key of a row's question, over all pairs."""
    return *span_of(row), row["rank"]


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
