"""The lock file of fetched hub models: the commit of each and the hashes of its files."""

import json
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from qsquared.errors import ModelError

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
    # A JSON string of these (names and hashes, no control characters) is a TOML string.
    lines = ["[[model]]"]
    lines += [
        f"{key} = {json.dumps(getattr(model, key), ensure_ascii=False)}"
        for key in ("checkpoint", "revision", "commit")
    ]
    lines += ["[model.files]"]
    lines += [
        f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(digest)}"
        for name, digest in sorted(model.files.items())
    ]
    return "\n".join(lines) + "\n"
