"""Hashes that identify model folders and show whether their files were changed."""

import hashlib
from functools import lru_cache
from pathlib import Path

from qsquared.errors import ModelError
from qsquared.hashing import sha256_of_file

SUMS = "SHA256SUMS"
_REINSTALL = "Install the package anew; a file of a shipped model should never change."

_DECISIVE = (
    "*.safetensors",
    "*.safetensors.index.json",
    "config.json",
    "base.json",
    "adapters.json",
    "generation_config.json",
    "tokenizer*.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.*",
    "merges.txt",
    "*.model",
)


def decisive_files(folder: Path) -> list[Path]:
    """Return the files of a model folder that decide its output (weights, config, tokenizer), by name."""
    found = {path for pattern in _DECISIVE for path in folder.glob(pattern) if path.is_file()}
    return sorted(found, key=lambda path: path.name)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, as 64 hex digits; cached while its size and time stay the same."""
    status = path.stat()
    return _file_sha256(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=256)
def _file_sha256(path: Path, _size: int, _time: int) -> str:
    return sha256_of_file(path)


def folder_sha256(folder: Path) -> str:
    """Return the SHA-256 over the names and hashes of the decisive files of a folder."""
    lines = [f"{file_sha256(path)}  {path.name}\n" for path in decisive_files(folder)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def check_sums(folder: Path, hint: str = _REINSTALL) -> None:
    """Check a folder against its `SHA256SUMS` (the format of `sha256sum`).

    The files are always read anew: a changed file with an old time must not pass.

    Raises:
        ModelError: the list is missing or damaged, or a file is missing, changed or not listed.
    """
    sums = folder / SUMS
    if not sums.is_file():
        raise ModelError(f"The shipped model in {folder} has no {SUMS}.", hint)
    expected: dict[str, str] = {}
    for line in sums.read_text(encoding="utf-8").splitlines():
        digest, separator, name = line.partition("  ")
        if not separator or len(digest) != hashlib.sha256().digest_size * 2:
            raise ModelError(f"{sums} has the damaged line {line!r}.", hint)
        expected[name] = digest
    compare_files(folder, expected, hint)
    if extra := [path.name for path in decisive_files(folder) if path.name not in expected]:
        raise ModelError(f"{folder / extra[0]} is not listed in {SUMS}.", hint)


def compare_files(folder: Path, expected: dict[str, str], hint: str) -> None:
    """Check that the named files have the named hashes.

    Raises:
        ModelError: a file is missing or has another hash.
    """
    for name, digest in expected.items():
        path = folder / name
        if not path.is_file():
            raise ModelError(f"{path} is missing.", hint)
        if sha256_of_file(path) != digest:
            raise ModelError(f"{path} is not the file that was recorded: its hash differs.", hint)
