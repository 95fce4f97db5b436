"""Figures on disk: each part of the benchmark adds its runs to a file, and one page is made of all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def add_run(path: Path, run: Mapping[str, Any]) -> None:
    """Add a run to a JSON list; the file is begun where it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([*read_runs(path), run], indent=1) + "\n", encoding="utf-8")


def read_runs(path: Path) -> list[dict[str, Any]]:
    """The runs in a file, in order; none where there is no file."""
    if not path.is_file():
        return []
    runs: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return runs
