"""Folders that the library ``datasets`` saved (``save_to_disk``): which of their files hold rows.

Beside its Arrow files such a folder has ``state.json``, which names them, and other files that tell
about the rows or that computations left; none of these is a log.
"""

from __future__ import annotations

import json
from pathlib import Path

_ABOUT = {"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json"}


def is_about_a_dataset(path: Path) -> bool:
    """Whether a file of a dataset's folder holds no rows of it."""
    folder = path.parent
    if path.suffix == ".arrow":
        named = _data_files(folder)
        return named is not None and path.name not in named
    if path.name not in _ABOUT:
        return False
    others = any((folder / other).exists() for other in _ABOUT - {path.name})
    return others or any(folder.glob("*.arrow")) or any(folder.glob("*/dataset_info.json"))


def _data_files(folder: Path) -> set[str] | None:
    """The Arrow files that ``state.json`` names, None where it says nothing."""
    try:
        state = json.loads((folder / "state.json").read_bytes())
        return {str(entry["filename"]) for entry in state["_data_files"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
