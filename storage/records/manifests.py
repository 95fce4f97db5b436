"""Manifests of ingested logs: content, format, mapping, and the tables made of each log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qsquared.storage.files.damage import DamagedFile
from qsquared.storage.files.parquet import Receipt
from qsquared.storage.store import content_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qsquared.storage.store import Store


@dataclass(frozen=True, slots=True)
class InputManifest:
    """One ingested log.

    ``paths`` are the absolute paths that have this content now (none: newer content took its
    place); ``size`` is in bytes; ``limit`` is the number of turns after which reading stopped, None
    if the whole file was read; ``ingested_at`` is ISO 8601 in UTC.
    ``erased`` are the positions of rows that `q2 erase` took out, which no later reading brings back.
    ``apart`` says that a person wants each path counted as a log of its own.
    ``doubt`` is a sentence on why the file may not be whole, empty if nothing speaks for that.
    ``reused`` says that nothing was read anew; it is not stored.
    """

    fingerprint: str
    paths: tuple[str, ...]
    sha256: str
    size: int
    format: str
    mapping: dict[str, str]
    limit: int | None
    rows: int
    turns: int
    rejects: int
    turns_table: Receipt
    rejects_table: Receipt
    ingested_at: str
    erased: tuple[int, ...] = ()
    apart: bool = False
    doubt: str = ""
    reused: bool = False

    def to_json(self) -> dict[str, Any]:
        """The manifest as a plain JSON object; fields of later versions only where they say something."""
        return {
            "fingerprint": self.fingerprint,
            "paths": list(self.paths),
            "sha256": self.sha256,
            "size": self.size,
            "format": self.format,
            "mapping": self.mapping,
            "limit": self.limit,
            "rows": self.rows,
            "turns": self.turns,
            "rejects": self.rejects,
            "turns_table": self.turns_table.to_json(),
            "rejects_table": self.rejects_table.to_json(),
            "ingested_at": self.ingested_at,
            **({"erased": list(self.erased)} if self.erased else {}),
            **({"apart": True} if self.apart else {}),
            **({"doubt": self.doubt} if self.doubt else {}),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> InputManifest:
        """The manifest that ``to_json`` wrote.

        Raises:
            KeyError: a field is missing.
        """
        return cls(
            fingerprint=value["fingerprint"],
            paths=tuple(value["paths"]),
            sha256=value["sha256"],
            size=value["size"],
            format=value["format"],
            mapping=dict(value["mapping"]),
            limit=value["limit"],
            rows=value["rows"],
            turns=value["turns"],
            rejects=value["rejects"],
            turns_table=Receipt.from_json(value["turns_table"]),
            rejects_table=Receipt.from_json(value["rejects_table"]),
            ingested_at=value["ingested_at"],
            erased=tuple(value.get("erased", ())),
            apart=value.get("apart", False),
            doubt=value.get("doubt", ""),
        )


def read_manifest(store: Store, fingerprint: str) -> InputManifest:
    """Read the manifest of an input.

    Raises:
        DamagedFile: it is missing, broken, or that of another input.
    """
    path = store.manifest_path(fingerprint)
    try:
        manifest = InputManifest.from_json(store.read_json(path))
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFile(path, f"it lacks what a manifest has ({error!r})") from error
    if manifest.fingerprint != fingerprint:
        raise DamagedFile(path, f"it is the manifest of the input {manifest.fingerprint}")
    return manifest


def all_manifests(store: Store) -> list[InputManifest]:
    """Read every manifest, superseded ones too, oldest first.

    Raises:
        DamagedFile: one is broken.
    """
    found = [read_manifest(store, content_key(path)) for path in store.small_files("inputs")]
    return sorted(found, key=lambda manifest: (manifest.ingested_at, manifest.fingerprint))


def current_manifests(store: Store) -> list[InputManifest]:
    """Read the manifests of the latest content of each path, oldest first.

    Raises:
        DamagedFile: one is broken.
    """
    return [manifest for manifest in all_manifests(store) if manifest.paths]
