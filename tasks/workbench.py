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

from qsquared.language.models import Models, build_models
from qsquared.profiles import get_profile
from qsquared.storage.parquet import DamagedTable, Receipt, check_table, read_table, write_table
from qsquared.storage.schemas import PAIRS
from qsquared.storage.store import Store
from qsquared.tasks.metric import Q2, Configuration
from qsquared.tasks.stage import Rows, Stage

logger = logging.getLogger("qsquared")

METRICS = {Q2.name: Q2}


@dataclass(frozen=True, slots=True)
class Job:
    """All that says what to compute and where, in plain values that any process can be handed.

    ``parameters`` is a JSON object of those that differ from the metric's defaults;
    ``profiles`` is a TOML file with further profiles, or empty.
    """

    store: str
    profile: str = "compact"
    profiles: str = ""
    metric: str = "q2"
    parameters: str = "{}"


@dataclass
class Workbench:
    """A job opened in this process: its store, keys and models; models load when first used."""

    store: Store
    configuration: Configuration
    models: Models
    shard_size: int
    executed: list[tuple[str, str]] = field(default_factory=list)
    """(stage, shard) that this process computed, in order."""
    damaged: list[str] = field(default_factory=list)
    """Files that this process found damaged and moved to quarantine."""

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
            self.damaged.append(str(path))
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

    def describe(self) -> None:
        """Write down in the store what this configuration's lineages are, for people and SQL."""
        configuration = self.configuration
        for stage, lineage in configuration.lineages.items():
            path = self.store.lineage_path(lineage)
            if not path.exists():
                self.store.write_json(path, configuration.describe(stage))
        name = f"{configuration.metric.name}.{configuration.profile}.{configuration.digest[:8]}"
        content: dict[str, Any] = {
            "metric": configuration.metric.name,
            "profile": configuration.profile,
            "parameters": dict(configuration.parameters),
            "digest": configuration.digest,
            "lineages": configuration.lineages,
            "last_used": datetime.now(UTC).isoformat(timespec="microseconds"),
        }
        self.store.write_json(self.store.configuration_path(name), content)


@lru_cache(maxsize=8)
def open_job(job: Job) -> Workbench:
    """The job's workbench in this process, opened once.

    Raises:
        UsageError: there is no such profile.
        ModelError: a model is not there.
        StoreError: the store cannot be used.
    """
    profile = get_profile(job.profile, Path(job.profiles) if job.profiles else None)
    models = build_models(profile)
    metric = METRICS[job.metric]
    configuration = Configuration(
        metric,
        job.profile,
        dict(metric.defaults) | json.loads(job.parameters),
        models.identities(),
    )
    store = Store.open(Path(job.store), create=True)
    return Workbench(store, configuration, models, profile.shard_size)
