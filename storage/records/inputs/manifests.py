"""Manifests of ingested logs: content, format, mapping, and the tables made of each log."""

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Self

from qsquared.storage.files.file_errors import DamagedFile
from qsquared.storage.files.parquet import Receipt
from qsquared.storage.store import Store, content_key


@dataclass(frozen=True, slots=True)
class InputManifest:
    """An ingested log.

    ``paths`` are the absolute paths that have this content now (none: newer content took its
    place); ``size`` is in bytes; ``limit`` is the number of turns after which reading stopped, None
    if the whole file was read; ``ingested_at`` is ISO 8601 in UTC.
    ``erased`` are the positions of rows that `q2 erase` took out, which no later reading brings back.
    ``apart`` says that a person wants each path counted as a log of its own.
    ``doubt`` is a sentence on why the file may not be whole, empty if nothing speaks for that.
    ``content`` and ``length`` are the SHA-256 and the bytes of a compressed log without compression.
    ``head`` is the SHA-256 of its first bytes, by which logs that may begin alike are found.
    ``was_at`` are paths that had this content, or a copy of it, before other content counted in its place.
    ``within`` is the fingerprint of a log that begins with the content of this one, empty if there is none.
    ``replies_read`` is the version of the rules by which the replies without knowledge were read, 0 if they
    were not yet.
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
    content: str = ""
    length: int = 0
    head: str = ""
    within: str = ""
    was_at: tuple[str, ...] = ()
    replies_read: int = 0
    reused: bool = False

    @property
    def unpacked(self) -> tuple[int, str]:
        """The length and the SHA-256 of the content without compression, as far as they are known."""
        return (self.length, self.content) if self.content else (self.size, self.sha256)

    def read_as(self, other: Self) -> bool:
        """Whether another log was read in the same way."""
        return (self.format, self.mapping) == (other.format, other.mapping)

    def to_json(self) -> dict[str, Any]:
        """The manifest as a plain JSON object; fields of later versions only where they say something."""
        plain = asdict(self)
        del plain["reused"]
        return {name: value for name, value in plain.items() if value or name not in _LATER}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The manifest that ``to_json`` wrote.

        Raises:
            KeyError: a field is missing.
            TypeError: a field is missing, or unknown.
        """
        tables = {name: Receipt.from_json(value[name]) for name in ("turns_table", "rejects_table")}
        lists = {name: tuple(value.get(name, ())) for name in ("paths", "erased", "was_at")}
        return cls(**dict(value) | tables | lists)


_LATER = {field.name for field in fields(InputManifest) if field.default is not MISSING}


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
    manifests = [read_manifest(store, content_key(path)) for path in store.small_files("inputs")]
    return sorted(manifests, key=lambda manifest: (manifest.ingested_at, manifest.fingerprint))


def current_manifests(store: Store) -> list[InputManifest]:
    """Read the manifests of the latest content of each path, oldest first.

    Raises:
        DamagedFile: one is broken.
    """
    return [manifest for manifest in all_manifests(store) if manifest.paths]
