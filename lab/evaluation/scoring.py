"""Scoring of a dataset's items through a store; finished stages are reused."""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from qsquared.evaluation.data.files import Item
from qsquared.flows.loop import Steps, score_logs
from qsquared.flows.running.progress import Observer, observed_by
from qsquared.method.bootstrap import Array
from qsquared.storage.files.parquet import read_table
from qsquared.storage.keys import digest, pair_id
from qsquared.storage.tables import PAIR, SITUATION, situation_id
from qsquared.tasks.jobs.graph import AS_PUBLISHED
from qsquared.tasks.jobs.options import Job, ScoreOptions
from qsquared.tasks.running.stage_runner import StageRunner, open_job

Watch = Callable[[str, int, int], None]
"""Called with the name of the stage, the number of scored items, and that of all items."""


@dataclass(frozen=True, slots=True)
class Run:
    """Metrics to score by, with parameters that differ from their defaults.

    ``profile`` names other models than the job's, if any.
    ``tables`` are stages without measures whose columns the protocol reads too.
    ``as_published`` leaves out our deviations that have a parameter.
    """

    name: str
    metrics: tuple[str, ...]
    parameters: tuple[tuple[str, Any], ...] = ()
    profile: str = ""
    tables: tuple[str, ...] = ()
    as_published: bool = True
    reads: Callable[[Item], Item] | None = None
    """Makes the texts of an item that this run scores, if not its own."""

    def texts(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return the texts that this run scores, one for each item."""
        return items if self.reads is None else [self.reads(item) for item in items]

    def job(self, job: Job) -> Job:
        """Return the job that scores this run in the store of another job."""
        given = dict(self.parameters) | ({AS_PUBLISHED: True} if self.as_published else {})
        parameters = json.dumps(given, sort_keys=True)
        profile = self.profile or job.profile
        return Job(job.store, profile, job.profiles, self.metrics, parameters, job.device)


@dataclass(frozen=True)
class Scores:
    """Values of one run, aligned with the items; a missing value is NaN."""

    run: Run
    configuration: str
    tables: Mapping[str, pl.DataFrame]
    order: Mapping[str, tuple[str, ...]]
    """Key of pairs or situations → that of each item."""

    def values(self, measure: str) -> Array:
        """Return a measure of each item."""
        for table in self.tables.values():
            if measure in table.columns:
                return self._aligned(table, measure).cast(pl.Float64).fill_null(np.nan).to_numpy()
        raise KeyError(measure)

    def column(self, table: str, name: str) -> list[Any]:
        """Return a column, for each item, of a table with one row for each pair or situation."""
        return self._aligned(self.tables[table], name).to_list()

    def _aligned(self, table: pl.DataFrame, name: str) -> pl.Series:
        key = SITUATION.key if SITUATION.key in table.columns else PAIR.key
        wanted = pl.DataFrame({key: self.order[key]})
        return wanted.join(table.select(key, name), key, "left", maintain_order="left")[name]


def score_items(
    items: Sequence[Item], run: Run, job: Job, watch: Watch = lambda *_: None
) -> Scores:
    """Score items by a run's metrics; finished stages in the job's store are reused.

    Args:
        items: blank replies and knowledge are no pairs, so their values are missing.
        run: the metrics and their parameters.
        job: store, profile and device; its metrics and parameters are the run's.
        watch: called with the progress.

    Raises:
        Q2Error: a model or the store cannot be used.
    """
    own = run.job(job)
    runner = open_job(own)
    read = run.texts(items)
    with (
        tempfile.TemporaryDirectory(prefix="q2-evaluate-") as folder,
        observed_by(_Watched(run.name, watch)),
    ):
        options = ScoreOptions(logs=[str(_write_log(read, Path(folder)))], **asdict(own))
        shards = score_logs(options, Steps(options))["shard_keys"]
    measured = runner.paths.measured(shards) | runner.paths.outputs(run.tables, shards)
    tables = {
        name: pl.concat([_read(runner, name, path) for path in paths])
        for name, paths in measured.items()
    }
    pairs = tuple(pair_id(item.response, [item.knowledge]) for item in read)
    situations = tuple(
        situation_id(pair, item.previous) for pair, item in zip(pairs, read, strict=True)
    )
    order = {PAIR.key: pairs, SITUATION.key: situations}
    return Scores(run, runner.configuration.digest, tables, order)


class _Watched(Observer):
    """Tells the caller of `score_items` how far its run is, in turns."""

    def __init__(self, name: str, watch: Watch) -> None:
        self._name, self._watch = name, watch
        self._all = 0
        self._done = 0.0

    def planned(self, turns: int, reused: int, pairs: int) -> None:  # noqa: ARG002
        """Note the turns of the run."""
        self._all = turns
        self.scored(reused)

    def stage(self, name: str, shard: str) -> None:  # noqa: ARG002
        """Tell that a stage begins."""
        self._watch(f"{self._name}: {name}", int(self._done), self._all)

    def scored(self, turns: float) -> None:
        """Tell that the turns of a shard are scored."""
        self._done += turns
        self._watch(self._name, int(self._done), self._all)


def _read(runner: StageRunner, stage: str, path: Path) -> pl.DataFrame:
    table = runner.configuration.graph.stage(stage).table
    found = read_table(path, table, runner.configuration.key(stage, path.stem))
    frame = pl.from_arrow(found)
    assert isinstance(frame, pl.DataFrame)
    return frame


def _write_log(items: Sequence[Item], folder: Path) -> Path:
    """Write the items as a log that is named by its content."""
    lines = [
        json.dumps(
            {"id": item.unit, "knowledge": item.knowledge, "response": item.response}
            | ({} if item.previous is None else {"history": [item.previous]})
        )
        for item in items
    ]
    path = folder / f"{digest(lines)}.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
