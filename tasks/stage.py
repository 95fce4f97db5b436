"""What a stage is: a pure function from tables to one table, with all that its key hashes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from qsquared.protocols import (
    AnswerQuestions,
    ClassifyReplies,
    CompareTokens,
    GenerateQuestions,
    JudgeEntailment,
    JudgeSupport,
    ParseText,
    RateTasks,
)
from qsquared.storage.tables.columns import Table
from qsquared.storage.tables.units import ScoredUnit, unit_of

Row = dict[str, Any]
Rows = list[Row]
Tables = Mapping[str, Rows]
Parameters = Mapping[str, Any]


class Roles(Protocol):
    """The four models that every profile provides."""

    def load(self, role: str) -> None:
        """Load the model of a role, if it is not loaded yet.

        Raises:
            ModelError: it cannot be loaded.
        """
        ...

    @property
    def parser(self) -> ParseText:
        """The syntactic pipeline."""
        ...

    @property
    def question_generation(self) -> GenerateQuestions:
        """The QG model."""
        ...

    @property
    def question_answering(self) -> AnswerQuestions:
        """The QA model."""
        ...

    @property
    def entailment(self) -> JudgeEntailment:
        """The NLI model."""
        ...


class MoreRoles(Roles, Protocol):
    """The models that only some profiles provide; a metric that needs one is refused without it."""

    @property
    def similarity(self) -> CompareTokens:
        """The encoder of BERTScore."""
        ...

    @property
    def consistency(self) -> JudgeSupport:
        """The learned consistency model."""
        ...

    @property
    def reply_classification(self) -> ClassifyReplies:
        """The classifier of replies."""
        ...

    @property
    def indicators(self) -> RateTasks:
        """The models tuned on GLUE."""
        ...


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a metric over one shard.

    A shard holds pairs or situations, and ``inputs`` begins with one of these or with stages that
    read the same.

    ``run`` maps the rows of the input tables, the models and the parameters to the rows of
    ``table``; it reads nothing else.
    ``version`` is raised whenever ``run`` would give other rows for the same input.
    ``roles`` and ``parameters`` name the models and parameters that it reads.
    """

    table: Table
    version: int
    inputs: tuple[str, ...]
    roles: tuple[str, ...]
    parameters: tuple[str, ...]
    run: Callable[[Tables, Roles, Parameters], Rows]

    @property
    def name(self) -> str:
        """A stage is named as its table."""
        return self.table.name

    @property
    def unit(self) -> ScoredUnit:
        """What its rows, and those of its inputs, are about."""
        return unit_of(self.table)


def failed_row(table: Table, pair_id: str, stage: str, reason: str) -> Row:
    """A row that stands for a pair on which a stage failed; all else in it is NULL."""
    row: Row = dict.fromkeys(column.name for column in table.columns)
    return row | {"pair_id": pair_id, "error": f"{stage}: {reason}"}


def failed_situation(table: Table, situation: Row, stage: str, reason: str) -> Row:
    """The same for a situation."""
    row = failed_row(table, situation["pair_id"], stage, reason)
    return row | {"situation_id": situation["situation_id"]}


def sound(rows: Rows) -> Rows:
    """The rows on which nothing failed."""
    return [row for row in rows if row["error"] is None]
