"""The layout of a store on disk, and the small JSON files in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from qsquared.errors import StoreError
from qsquared.storage.atomic import read_json, sync_folder, write_json
from qsquared.storage.columns import SCHEMA_VERSION

if TYPE_CHECKING:
    from pathlib import Path

_KEY = re.compile(r"[0-9a-f]{8,64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,199}")
_FOLDERS = ("inputs", "turns", "rejects", "pairs", "stages", "lineages")


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of Parquet tables and JSON manifests; all that is true stands in it."""

    root: Path

    @classmethod
    def open(cls, root: Path, create: bool = False) -> Store:
        """Open the store at ``root``, or make one there.

        Raises:
            StoreError: there is none (and ``create`` is not set), or it is of another version.
        """
        path = root / "store.json"
        if not path.exists():
            if not create:
                raise StoreError(
                    f"There is no store at {root}.",
                    "Ingest a log into it first, or check the path.",
                )
            present = [name for name in _FOLDERS if (root / name).exists()]
            if present:
                raise StoreError(
                    f"{root} has a folder {present[0]!r} but no store.json, so its version is unknown.",
                    "Choose another folder for the store, or put store.json back.",
                )
            try:
                write_json(path, {"schema_version": SCHEMA_VERSION})
            except OSError as error:
                raise StoreError(
                    f"The store {root} cannot be made: {error}.",
                    "Choose a folder that can be written to.",
                ) from error
        version = read_json(path).get("schema_version")
        if version != SCHEMA_VERSION:
            raise StoreError(
                f"The store {root} has schema version {version}; this program writes {SCHEMA_VERSION}.",
                "Ingest and score the logs into a new store folder; this one stays as it is.",
            )
        return cls(root)

    def manifest_path(self, fingerprint: str) -> Path:
        """Manifest of one ingested input."""
        return self.root / "inputs" / f"{_key(fingerprint)}.json"

    def turns_path(self, fingerprint: str) -> Path:
        """Turns of one input."""
        return self.root / "turns" / f"{_key(fingerprint)}.parquet"

    def rejects_path(self, fingerprint: str) -> Path:
        """Rejects of one input."""
        return self.root / "rejects" / f"{_key(fingerprint)}.parquet"

    def pairs_path(self, shard: str) -> Path:
        """Pairs of one shard."""
        return self.root / "pairs" / f"{_key(shard)}.parquet"

    def stage_path(self, stage: str, lineage: str, shard: str) -> Path:
        """Output of a stage, in one lineage, on one shard."""
        return self.root / "stages" / _name(stage) / _key(lineage) / f"{_key(shard)}.parquet"

    def lineage_path(self, lineage: str) -> Path:
        """What a lineage is: stage, version, parameters, models, inputs."""
        return self.root / "lineages" / f"{_key(lineage)}.json"

    def configuration_path(self, name: str) -> Path:
        """Which lineage each stage of a named configuration has."""
        return self.root / "configurations" / f"{_name(name)}.json"

    def run_path(self, run_id: str) -> Path:
        """Summary of one run."""
        return self.root / "runs" / f"{_name(run_id)}.json"

    def write_json(self, path: Path, value: Any) -> None:
        """Write a JSON object atomically."""
        write_json(path, value)

    def read_json(self, path: Path) -> dict[str, Any]:
        """Read a JSON object.

        Raises:
            StoreError: it is missing or broken.
        """
        return read_json(path)

    def quarantine(self, path: Path) -> Path | None:
        """Move a damaged file out of the way, keep it, and give its new place (None: it is gone)."""
        folder = self.root / "quarantine"
        folder.mkdir(exist_ok=True)
        time = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        name = "__".join(path.absolute().relative_to(self.root.absolute()).parts)
        target = folder / f"{name}.{time}"
        try:
            path.rename(target)
        except FileNotFoundError:
            return None
        sync_folder(path.parent)
        return target


def _key(value: str) -> str:
    if not _KEY.fullmatch(value):
        raise StoreError(f"{value!r} is not a content key.", "Give a key as the store shows it.")
    return value


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise StoreError(
            f"{value!r} cannot name a file.", "Use letters, digits and the characters _ . + - only."
        )
    return value
