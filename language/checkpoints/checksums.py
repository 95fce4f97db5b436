"""Hashes that identify model folders and show whether their files were changed.

The hashes of a hub model, and its commit, are in the lock file that `q2 models pull` writes.
"""

import hashlib
import json
import os
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from filelock import FileLock

from qsquared.errors import ModelError

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
    paths = {path for pattern in _DECISIVE for path in folder.glob(pattern) if path.is_file()}
    return sorted(paths, key=lambda path: path.name)


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cached_sha256(path: Path) -> str:
    """Return the SHA-256 of a file; cached while its size and time stay the same."""
    status = path.stat()
    return _cached_sha256(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=256)
def _cached_sha256(path: Path, _size: int, _time: int) -> str:
    return sha256_of_file(path)


def folder_sha256(folder: Path) -> str:
    """Return the SHA-256 over the names and hashes of the decisive files of a folder."""
    lines = [f"{cached_sha256(path)}  {path.name}\n" for path in decisive_files(folder)]
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


NAME = "models.lock.toml"


@dataclass(frozen=True, slots=True)
class FetchedModel:
    """A fetched hub checkpoint: the requested revision, the resolved commit, the file hashes."""

    checkpoint: str
    revision: str
    commit: str
    files: dict[str, str]


def hub_cache() -> Path:
    """Return the hub's cache folder (`HF_HUB_CACHE`), which holds the lock file too."""
    from huggingface_hub import constants  # most commands need no hub

    return Path(constants.HF_HUB_CACHE)


def read_lock(cache: Path) -> dict[tuple[str, str], FetchedModel]:
    """Return the fetched models by (checkpoint, revision); empty before the first fetch.

    Raises:
        ModelError: the lock file is damaged.
    """
    path = cache / NAME
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("model", [])
        models = [FetchedModel(**entry) for entry in entries]
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError, AttributeError) as error:
        raise ModelError(
            f"The record of fetched models {path} is damaged: {error}.",
            "Remove it and run `q2 models pull` again; what is in the cache is not fetched twice.",
        ) from error
    return {(model.checkpoint, model.revision): model for model in models}


def record(cache: Path, model: FetchedModel) -> None:
    """Add a fetched model to the lock file; it replaces an older record of the same revision."""
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / NAME
    with FileLock(path.with_suffix(".toml.lock")):
        models = read_lock(cache)
        models[model.checkpoint, model.revision] = model
        beside = path.with_suffix(".toml.new")
        beside.write_text("\n".join(_entry(m) for _, m in sorted(models.items())), encoding="utf-8")
        os.replace(beside, path)  # noqa: PTH105


def _entry(model: FetchedModel) -> str:
    def quoted(text: str) -> str:
        # A JSON string of these (names and hashes, no control characters) is a TOML string.
        return json.dumps(text, ensure_ascii=False)

    named = ("checkpoint", "revision", "commit")
    lines = ["[[model]]", *(f"{key} = {quoted(getattr(model, key))}" for key in named)]
    files = sorted(model.files.items())
    lines += ["[model.files]", *(f"{quoted(name)} = {quoted(digest)}" for name, digest in files)]
    return "\n".join(lines) + "\n"
