"""Results for notebooks: the scores of many replies, and the explanation of one."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from qsquared.errors import UsageError
from qsquared.method.q2.explaining import explanation as method
from qsquared.method.statistics.intervals import effective_number, wilson_interval
from qsquared.method.statistics.threshold import is_inconsistent
from qsquared.notebooks.inputs import Reply
from qsquared.report.templates import to_html
from qsquared.storage.keys import pair_id
from qsquared.storage.records.inputs.reply_statuses import status_by_reading
from qsquared.storage.tables.registry import SCORES
from qsquared.tasks.jobs.in_memory import evidence_of, sentences_of
from qsquared.tasks.stage import Tables


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a response's score; a notebook shows it with colours.

    ``content`` has every part of it (see `qsquared.method.q2.explaining.explanation.Explanation`).
    """

    content: method.Explanation

    @property
    def q2(self) -> float | None:
        """Q² of the response, 0 to 1; None if it could not be scored."""
        return self.content.q2

    def to_json(self) -> dict[str, Any]:
        """Return the whole explanation as a plain JSON object."""
        return self.content.to_json()

    def _repr_html_(self) -> str:
        return to_html(self.content)

    def __str__(self) -> str:
        score = "not scored" if self.q2 is None else f"Q² {self.q2:.2f}"
        return f"{score}: {self.content.sentence()}"


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of replies, in their order.

    ``frame`` has one row for each reply; DuckDB, pandas and Arrow read the scores without a copy by
    way of the Arrow stream.
    """

    frame: pl.DataFrame
    profile: str
    metrics: tuple[str, ...]
    replies: tuple[Reply, ...] = field(repr=False)
    tables: Tables = field(repr=False)

    def __len__(self) -> int:
        return self.frame.height

    def __getitem__(self, column: str) -> pl.Series:
        return self.frame[column]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)

    @property
    def scored(self) -> int:
        """The number of replies that have a Q²."""
        return len(self._leading())

    @property
    def inconsistent(self) -> int:
        """The number of replies with a support, or else a Q², of 0.5 or below."""
        return sum(map(is_inconsistent, self._leading()))

    @property
    def rate(self) -> float | None:
        """The share of scored replies that are inconsistent; None if none is scored."""
        return self.inconsistent / self.scored if self.scored else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the rate; equal replies to equal knowledge are one observation."""
        if not self.scored:
            return None
        shares = Counter(
            pair_id(reply.response, reply.knowledge)
            for reply, value in zip(self.replies, self.frame["q2"], strict=True)
            if value is not None
        )
        return wilson_interval(self.inconsistent / self.scored, effective_number(shares.values()))

    def explain(self, number: int) -> Explanation:
        """Explain the Q² of the reply of that number (from 0) without asking a model again.

        Raises:
            UsageError: Q² is not among the metrics, or there is no such reply.
        """
        if SCORES.name not in self.tables:
            names = ", ".join(map(repr, ("q2", *self.metrics)))
            raise UsageError(
                f"There is no Q² to explain: the metric is {', '.join(self.metrics)}.",
                f"Score the replies with Q², too: score(replies, knowledge, metric=[{names}])",
            )
        if not -len(self.replies) <= number < len(self.replies):
            raise UsageError(
                f"There is no reply {number}: {len(self):,} were given, and the first has number 0.",
                "The columns and rows of all: scores.frame",
            )
        return explained(self.replies[number], self.tables)

    def _leading(self) -> list[float]:
        measures = [name for name in ("support", "q2") if name in self.frame.columns]
        if not measures:
            return []
        return self.frame.select(pl.coalesce(measures)).to_series().drop_nulls().to_list()

    def __str__(self) -> str:
        if self.rate is None or self.interval is None:
            return f"{len(self)} replies, none with a Q² (profile {self.profile})"
        low, high = self.interval
        return (
            f"{self.inconsistent} of {self.scored} scored replies are inconsistent "
            f"({self.rate:.1%}, 95 % interval {low:.1%} to {high:.1%}), of {len(self)} "
            f"(profile {self.profile})"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>{self.frame._repr_html_()}"


def unscored(reply: Reply) -> dict[str, Any] | None:
    """Return status and reason of a reply that has nothing to score; None for others."""
    return status_by_reading(reply.response, reply.knowledge)


def explained(reply: Reply, tables: Tables) -> Explanation:
    """Return the explanation of a reply from the tables of Q²'s stages."""
    key = pair_id(reply.response, reply.knowledge)
    nothing = unscored(reply)

    def own(name: str) -> list[Mapping[str, Any]]:
        return [row for row in tables[name] if row["pair_id"] == key]

    row = own("scores")[0] if nothing is None else nothing
    spans = [] if nothing else [row for row in own("spans") if row["error"] is None]
    return Explanation(
        method.explain(
            reply.response,
            list(reply.knowledge),
            spans,
            [] if nothing else evidence_of(tables, key),
            row,
            history=reply.history,
            sentences=[] if nothing else sentences_of(tables, key),
        )
    )
