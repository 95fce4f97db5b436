"""The cache of this machine: the folders of its parts."""

import os
from pathlib import Path

CACHE = "Q2_CACHE"
"""The environment variable that names its folder."""


def cache_folder(name: str) -> Path:
    """Return a part of the cache."""
    given = os.environ.get(CACHE)
    caches = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return (Path(given) if given else Path(caches) / "qsquared") / name
