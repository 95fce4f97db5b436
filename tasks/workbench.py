"""Where a stage meets the store: check what is there, run what is missing, write it whole.

Knows nothing of Prefect; ``tasks/cached.py`` wraps it.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from qsquared.errors import ModelError
from qsquared.language.models import Models, build_models
from qsquared.language.registry import locate
from qsquared.profiles import get_profile
from qsquared.storage.atomic import remove_stale_temporaries
from qsquared.storage.parquet import DamagedTable, Receipt, check_table, read_table, write_table
from qsquared.storage.schemas import PAIRS, SCORES
from qsquared.storage.store import Store
from qsquared.tasks.metric import Q2, Configuration
from qsquared.tasks.stage import Row, Rows, Stage

logger = logging.getLogger("qsquared")

METRICS = {Q2.name: Q2}


@dataclass(frozen=True, slots=True)
class Job:
    """All that says what to compute and where, in plain values that any process can be handed.

    ``parameters`` is a JSON object of those that differ from the metric's defaults;
    ``profiles`` is a TOML file with further profiles, or empty;
    ``device`` is where the models run, as torch names it, and is no part of a key.
    """

    store: str
    profile: str = "compact"
    profiles: str = ""
    metric: str = "q2"
    parameters: str = "{}"
    device: str = "cpu"


@dataclass
class Workbench:
    """A job opened in this process: its store, keys and models; models load when first used."""

    store: Store
    configuration: Configuration
    models: Models
    shard_size: int
    executed: list[tuple[str, str]] = field(default_factory=list)
    """(stage, shard) that this process computed, in order."""
    _known_damage: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.quarantined()

    @cached_property
    def _stages(self) -> dict[str, Stage]:
        return {stage.name: stage for stage in self.configuration.metric.stages}

    def path(self, stage: str, shard: str) -> Path:
        """Where a stage's output on a shard lies."""
        if stage == PAIRS.name:
            return self.store.pairs_path(shard)
        return self.store.stage_path(stage, self.configuration.lineages[stage], shard)

    def finished(self, stage: str, shard: str) -> Receipt | None:
        """The receipt of a stage's output if it is there and sound.

        A damaged file is moved to quarantine and reported, so that the stage runs again.
        """
        path = self.path(stage, shard)
        if not path.exists():
            return None
        try:
            return check_table(
                path, self._stages[stage].table, self.configuration.key(stage, shard)
            )
        except DamagedTable as damage:
            self.store.quarantine(path)
            logger.warning("%s It was moved to quarantine and is computed again.", damage.message)
            return None

    def missing_stages(self, shard: str) -> list[str]:
        """The stages of the metric that a shard still lacks, in order."""
        return [name for name in self._stages if self.finished(name, shard) is None]

    def run(self, stage: str, shard: str) -> Receipt:
        """The receipt of a stage's output, computed now unless the store has it.

        Raises:
            DamagedTable: an input of the stage is not there or damaged.
        """
        there = self.finished(stage, shard)
        if there is not None:
            return there
        definition = self._stages[stage]
        tables = {name: self._read(name, shard) for name in definition.inputs}
        # Before the stage, so that a model that cannot be loaded ends the run and no pair pays.
        for role in definition.roles:
            self.models.load(role)
        rows = definition.run(tables, self.models, self.configuration.parameters)
        receipt = write_table(
            self.path(stage, shard), rows, definition.table, self.configuration.key(stage, shard)
        )
        self.executed.append((stage, shard))
        return receipt

    def _read(self, name: str, shard: str) -> Rows:
        table = PAIRS if name == PAIRS.name else self._stages[name].table
        key = self.configuration.key(name, shard)
        found: pa.Table = read_table(self.path(name, shard), table, key)
        rows: Rows = found.to_pylist()
        return rows

    def forget_errors(self, shard: str) -> None:
        """Remove the stages of a shard from the first on that has a failed row, to run them again."""
        failed = False
        for name, stage in self._stages.items():
            if self.finished(name, shard) is None:
                continue
            rows = [] if failed else self._read(name, shard)
            failed = failed or any(_has_failed(stage, row) for row in rows)
            if failed:
                self.path(name, shard).unlink()

    def quarantined(self) -> list[str]:
        """What was moved to quarantine since the last call, by the names in that folder."""
        found = {path.name for path in (self.store.root / "quarantine").glob("*")}
        new = sorted(found - self._known_damage)
        self._known_damage = found
        return new

    def describe(self, completed: bool) -> None:
        """Write down in the store what this configuration's lineages are, for people and SQL."""
        configuration = self.configuration
        for stage, lineage in configuration.lineages.items():
            path = self.store.lineage_path(lineage)
            if not path.exists():
                self.store.write_json(path, configuration.describe(stage))
        name = f"{configuration.metric.name}.{configuration.profile}.{configuration.digest[:8]}"
        path = self.store.configuration_path(name)
        if path.exists() and not completed:
            return
        content: dict[str, Any] = {
            "metric": configuration.metric.name,
            "profile": configuration.label,
            "parameters": dict(configuration.parameters),
            "digest": configuration.digest,
            "lineages": configuration.lineages,
            # Empty until a run completes, so that a failed one hides no earlier scores.
            "last_used": datetime.now(UTC).isoformat(timespec="microseconds") if completed else "",
        }
        self.store.write_json(path, content)


def _has_failed(stage: Stage, row: Row) -> bool:
    if stage.table is SCORES:
        return bool(row["status"] == "error")
    return row["error"] is not None


def _identities(models: Models, job: Job) -> dict[str, str]:
    """The identities of models that are on this machine; looks before any work is done."""
    try:
        for role in models.profile.roles.values():
            if role.source in {"hub", "local", "bundled"}:
                locate(role.checkpoint, role.revision)
        return models.identities()
    except ModelError as error:
        own = f" --profiles {job.profiles}" if job.profiles else ""
        hint = error.hint.replace("q2 models pull PROFILE", f"q2 models pull {job.profile}{own}")
        raise ModelError(error.message, hint) from error


@lru_cache(maxsize=8)
def open_job(job: Job) -> Workbench:
    """The job's workbench in this process, opened once.

    Raises:
        UsageError: there is no such profile.
        ModelError: a model is not there.
        StoreError: the store cannot be used.
    """
    profile = get_profile(job.profile, Path(job.profiles) if job.profiles else None)
    models = build_models(profile, job.device)
    metric = METRICS[job.metric]
    configuration = Configuration(
        metric,
        job.profile,
        dict(metric.defaults) | json.loads(job.parameters),
        _identities(models, job),
    )
    store = Store.open(Path(job.store), create=True)
    remove_stale_temporaries(store.root)
    return Workbench(store, configuration, models, profile.shard_size)
