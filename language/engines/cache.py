"""The cache of this machine: the folders of its parts, and the checks of profiles by the identities of their models."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qsquared.profiles.profile import ROLES

CACHE = "Q2_CACHE"
"""The environment variable that names its folder."""


def cache_folder(name: str) -> Path:
    """Return a part of the cache."""
    given = os.environ.get(CACHE)
    caches = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return (Path(given) if given else Path(caches) / "qsquared") / name


def checks_folder() -> Path:
    """Return the folder of checks in this machine's cache: their records, and the store of their scores."""
    return cache_folder("checks")


def write_check(models: Mapping[str, str], check: Mapping[str, Any]) -> None:
    """Record the check of some models, given by role; it replaces an earlier one of the same models."""
    path = _path(models)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(f".{os.getpid()}")
    beside.write_text(json.dumps(check, indent=1), encoding="utf-8")
    beside.replace(path)


def last_check(models: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the record of the check of some models; ``None`` if these were not checked here."""
    if any(role not in models for role in ROLES):
        return None
    try:
        check: dict[str, Any] = json.loads(_path(models).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return check


def _path(models: Mapping[str, str]) -> Path:
    names = json.dumps([models[role] for role in ROLES])
    return checks_folder() / "results" / f"{hashlib.sha256(names.encode()).hexdigest()[:32]}.json"
