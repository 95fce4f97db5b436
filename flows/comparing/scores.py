"""The scores of some logs by one profile, with the time that they take here."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

from qsquared.flows.loop import Steps, score_logs
from qsquared.flows.running.plan import Plan
from qsquared.method.bootstrap import Array
from qsquared.storage.connection import open_connection
from qsquared.storage.outputs.selection import Selection
from qsquared.storage.records.runs import read_executions
from qsquared.storage.sql.catalogue import over
from qsquared.storage.sql.views.phrases import LEADING
from qsquared.storage.tables.registry import CONSISTENCY, SCORES, SENTENCE_ENTAILMENT
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.running.stage_runner import StageRunner, open_job

_REPLIES = f"""
SELECT t.id, t.pair_id, array_to_string(t.knowledge, chr(10)) AS knowledge, t.response, t.metadata,
       {LEADING} AS score, coalesce(t.status, s.status) AS status, coalesce(t.reason, s.reason) AS reason,
       coalesce(s.questions, 0) AS questions, j.judge, c.consistency
FROM ({{turns}}) t
LEFT JOIN ({{scores}}) s USING (pair_id)
LEFT JOIN ({{consistency}}) c USING (pair_id)
LEFT JOIN (SELECT pair_id, min(entailment) AS judge FROM ({{judged}}) GROUP BY pair_id) j USING (pair_id)
ORDER BY t.ordinal, t.position
"""
_TEXTS = ("id", "pair_id", "knowledge", "response", "metadata")
_COLUMNS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(_TEXTS, pl.String),
    "score": pl.Float64,
    "status": pl.String,
    "reason": pl.String,
    "questions": pl.Int64,
    "judge": pl.Float64,
    "consistency": pl.Float64,
}


@dataclass(frozen=True, slots=True)
class ProfileScores:
    """The scores that a profile gives some replies.

    ``replies`` has a row for each turn: `id`, `pair_id`, `knowledge`, `response`, `metadata`, `score`
    (support, or else Q²), `status`, `reason`, `questions` that count, `judge` (the entailment of its
    least entailed sentence) and `consistency`.
    ``seconds_per_reply`` is that of its stages on this machine, without the loading of models.
    """

    profile: str
    models: dict[str, str]
    replies: pl.DataFrame
    seconds_per_reply: float
    requests: dict[str, Any] | None = None
    """The requests to servers in this run, as its record has them; ``None`` where none plays a role."""

    def values(self, column: str) -> Array:
        """Return a column of numbers, NaN where there is none."""
        return self.replies[column].cast(pl.Float64).fill_null(np.nan).to_numpy()

    @property
    def clusters(self) -> list[str]:
        """The knowledge of each reply."""
        return self.replies["knowledge"].fill_null("").to_list()


class _ModelsLoadedFirst(Steps):
    """The steps of a run; models are loaded before the stages, which are timed."""

    def score(self, plan: Plan, run_id: str) -> None:
        runner = open_job(self.job)
        roles = {
            role
            for shard in plan.unfinished
            for stage in runner.missing_stages(shard)
            for role in runner.paths.stages[stage].roles
        }
        for role in sorted(roles):
            runner.models.load(role)
        super().score(plan, run_id)


def scores_by_profile(options: ScoreOptions) -> ProfileScores:
    """Score logs by the loop of every run, in the store of the options; what is there is reused.

    Raises:
        UsageError: there is no such profile.
        ModelError: a model of it is not there or cannot be loaded.
        InputError: no log can be read.
    """
    summary = score_logs(options, _ModelsLoadedFirst(options))
    runner = open_job(options.job)
    shards = summary["shard_keys"]
    selection = Selection(tuple(summary["selection"]["inputs"]), summary["selection"]["limit"])
    tables = (SCORES, SENTENCE_ENTAILMENT, CONSISTENCY)
    paths = runner.paths.outputs([table.name for table in tables], shards)
    scores, judged, consistency = (over(one, paths.get(one.name, [])) for one in tables)
    with open_connection(runner.store.root) as connection:
        rows = connection.execute(
            _REPLIES.format(
                turns=selection.sql(runner.store),
                scores=scores,
                judged=judged,
                consistency=consistency,
            )
        ).fetchall()
        counted = connection.execute(f"SELECT count(*) FROM ({scores})").fetchone()
    pairs = counted[0] if counted else 0
    return ProfileScores(
        options.profile,
        dict(runner.configuration.identities),
        pl.DataFrame(rows, schema=_COLUMNS, orient="row"),
        _seconds(runner, shards) / max(1, pairs),
        summary.get("requests"),
    )


def _seconds(runner: StageRunner, shards: Sequence[str]) -> float:
    """Return how long the stages took on some shards when they were last computed."""
    wanted = {
        runner.configuration.key(stage.name, shard)
        for shard in shards
        for stage in runner.paths.stages_of(shard)
    }
    begun: dict[tuple[str, str], datetime] = {}
    took: dict[str, float] = {}
    for line in read_executions(runner.store):
        if line.key not in wanted:
            continue
        at = datetime.fromisoformat(line.at)
        if line.event == "begin":
            begun[line.run_id, line.key] = at
        elif (line.run_id, line.key) in begun:
            took[line.key] = (at - begun[line.run_id, line.key]).total_seconds()
    return sum(took.values())
