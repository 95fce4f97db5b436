"""Lineages, which name the folders of stages, and configurations, which have one for each stage.

A lineage's name is the key of what it describes, so neither can change without the other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qsquared.storage.files.damage import DamagedFile
from qsquared.storage.keys import digest, stage_key
from qsquared.storage.store import Store, content_key
from qsquared.storage.tables.registry import UNITS


@dataclass(slots=True)
class Lineages:
    """The lineages of a store, each read and checked once."""

    store: Store
    _read: dict[str, dict[str, Any]] = field(default_factory=dict)

    def describe(self, lineage: str) -> Mapping[str, Any]:
        """Return stage, version, parameters, models and inputs of a lineage.

        Raises:
            DamagedFile: its file is missing, broken, or describes another one.
        """
        if lineage not in self._read:
            self._read[lineage] = read_lineage(self.store, self.store.lineage_path(lineage))
        return self._read[lineage]

    def key(self, lineage: str, shard: str) -> str:
        """Return the content key of a lineage's table on a shard.

        Raises:
            DamagedFile: the file of the lineage or of one of its inputs cannot be used.
        """
        return self._key(lineage, shard, {})

    def _key(self, lineage: str, shard: str, keys: dict[str, str]) -> str:
        if lineage not in keys:
            record = self.describe(lineage)
            inputs = {
                name: shard if name in UNITS else self._key(other, shard, keys)
                for name, other in record["inputs"].items()
            }
            keys[lineage] = stage_key(
                record["stage"], record["version"], record["parameters"], record["models"], inputs
            )
        return keys[lineage]


def read_lineage(store: Store, path: Path) -> dict[str, Any]:
    """Read stage, version, parameters, models and inputs of a lineage.

    Raises:
        DamagedFile: the file is missing, broken, or describes another lineage.
    """
    record = store.read_json(path)
    try:
        name = stage_key(*(record[key] for key in _LINEAGE))
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFile(path, f"it lacks what a lineage has ({error!r})") from error
    if name != content_key(path):
        raise DamagedFile(path, f"it tells of the lineage {name}")
    return record


_LINEAGE = ("stage", "version", "parameters", "models", "inputs")


def read_configuration(store: Store, path: Path) -> dict[str, Any]:
    """Read a metric and profile with its lineage for each stage; `last_used` is when a run completed.

    Raises:
        DamagedFile: the file is missing, broken, or describes another configuration.
    """
    record = store.read_json(path)
    try:
        # Reads every field that its readers rely on.
        start = f"{record['metric']}.{record['profile'].split('+')[0]}"
        short = digest([record["metric"], record["lineages"]])[:8]
        fits = path.stem.startswith(start) and path.stem.endswith(f".{short}")
        fits = fits and record["digest"].startswith(short) and isinstance(record["last_used"], str)
        fits = fits and all(isinstance(record[name], dict) for name in ("lineages", "parameters"))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DamagedFile(path, f"it lacks what a configuration has ({error!r})") from error
    if not fits:
        raise DamagedFile(path, "it tells of another configuration than its name")
    return record


def latest_of(configurations: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return, for each metric and profile, the configuration that a run last completed with.

    One whose tables were collected as rubbish counts no more.
    """
    latest: dict[tuple[str, str], dict[str, Any]] = {}
    for content in configurations:
        if "collected" in content:
            continue
        name = (content["metric"], content["profile"])
        if name not in latest or content["last_used"] > latest[name]["last_used"]:
            latest[name] = content
    return [latest[name] for name in sorted(latest)]
