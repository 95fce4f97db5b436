"""The log files that the arguments of a command name."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING

from qsquared.errors import InputError
from qsquared.storage.logs.datasets import is_about_a_dataset
from qsquared.storage.logs.formats.detect import FORMATS, format_by_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def expand_inputs(arguments: Sequence[str]) -> list[Path]:
    """Files, folders (searched whole, for known extensions) and glob patterns as a list of files.

    The order is that of the arguments, sorted within a folder or pattern; each file comes once.

    Raises:
        InputError: an argument names nothing.
    """
    found: dict[str, Path] = {}
    for argument in arguments:
        paths = list(_expand(argument))
        if not paths:
            raise InputError(
                f"There is no log at {argument}.",
                f"Give a file, a pattern, or a folder with {', '.join(sorted(FORMATS))} files.",
            )
        for path in paths:
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _expand(argument: str) -> Iterator[Path]:
    path = Path(argument).expanduser()
    if path.is_dir():
        yield from _files_below(path)
    elif path.exists():
        yield path
    else:
        for match in sorted(glob.glob(str(path), recursive=True)):  # noqa: PTH207 - patterns may be absolute
            hit = Path(match)
            if hit.is_file():
                yield hit
            elif hit.is_dir() and "**" not in argument:
                yield from _files_below(hit)


def _in_store(path: Path, folder: Path) -> bool:
    """Whether a file below a folder belongs to a store, whose tables are no logs."""
    inner = path.relative_to(folder).parents
    return any((folder / parent / "store.json").exists() for parent in inner)


def _files_below(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.rglob("*")
        if format_by_name(path) is not None
        and not _in_store(path, folder)
        and path.is_file()
        and not is_about_a_dataset(path)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
