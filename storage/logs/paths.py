"""The log files that the arguments of a command name."""

import glob
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from qsquared.errors import DeniedLogError, InputError
from qsquared.storage.files.remote_paths import is_remote, is_there, is_url, objects_at, place
from qsquared.storage.logs.file_types.detect import IN_FOLDERS, file_type_by_name

_MOST_NAMED = 4
_DATASET_FILES = {"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json"}


def log_path(named: str | Path) -> Path:
    """Return the absolute path of a log, with links as they are given, or its URL.

    Raises:
        UsageError: the URL is of a kind that is not known, or its library is not installed.
    """
    path = place(named)
    return path if is_remote(path) else Path(os.path.abspath(path))  # noqa: PTH100


def log_is_there(named: str) -> bool:
    """Whether the file or object of a log exists.

    Raises:
        UnreachableError: the server of a URL cannot be reached, which says nothing of the log.
    """
    return is_there(log_path(named))


def expand_inputs(arguments: Sequence[str]) -> list[Path]:
    """List the files that arguments name: files, folders (searched for known extensions), patterns, URLs.

    The order is that of the arguments, sorted within a folder or pattern; each file comes once.

    Raises:
        InputError: an argument names nothing.
        UnreachableError: the server of a URL cannot be reached.
    """
    found: dict[str, Path] = {}
    for argument in arguments:
        paths = list(_expand(argument))
        if not paths:
            raise InputError(
                f"There is no log at {argument}.{_held_by(argument)}",
                f"Give a file, a pattern, or a folder with {', '.join(sorted(IN_FOLDERS))} files.",
            )
        for path in paths:
            found.setdefault(str(path) if is_remote(path) else os.path.realpath(path), path)
    return list(found.values())


def passed_over(arguments: Sequence[str]) -> list[Path]:
    """List the files in folders among the arguments that are no logs by their extension.

    Hidden files, files of a store and those that describe a saved dataset are not listed.
    """
    found: dict[str, Path] = {}
    for argument in arguments:
        folder = Path(argument).expanduser()
        for path in _held_in(folder) if folder.is_dir() else ():
            if file_type_by_name(path) is None and path.name not in _DATASET_FILES:
                found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _held_by(argument: str) -> str:
    """Return what a folder without a log holds, as a sentence; empty for anything else."""
    folder = Path(argument).expanduser()
    if not folder.is_dir():
        return ""
    others = passed_over([argument])
    if not others:
        return " The folder is empty."
    named = ", ".join(path.name for path in others[:_MOST_NAMED])
    more = ", …" if len(others) > _MOST_NAMED else ""
    return f" No file in the folder is a log by its extension: {named}{more}."


def _expand(argument: str) -> Iterator[Path]:
    if is_url(argument):
        url = place(argument)
        found = objects_at(url)
        yield from found if found == [url] else filter(_is_log, _outside_stores(found, url))
        return
    path = Path(argument).expanduser()
    stated = path.exists()
    # A pattern may be absolute, which `Path.glob` refuses.
    matches = [str(path)] if stated else sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207
    for hit in map(Path, matches):
        if hit.is_dir():
            yield from _files_below(hit) if stated or "**" not in argument else ()
        elif stated or hit.is_file():
            yield hit


def _is_log(path: Path) -> bool:
    return file_type_by_name(path) is not None and path.name not in _DATASET_FILES


def _outside_stores(found: Sequence[Path], folder: Path) -> list[Path]:
    """Return those of the files below a folder that are neither hidden nor tables of a store."""
    stores = {path.parent for path in found if path.name == "store.json"}
    own, depth = (path for path in found if stores.isdisjoint(path.parents)), len(folder.parts)
    return [path for path in own if not any(part.startswith(".") for part in path.parts[depth:])]


def _held_in(folder: Path) -> list[Path]:
    """Return the files below a folder that are neither hidden nor tables of a store."""
    return _outside_stores(sorted(filter(Path.is_file, folder.rglob("*"))), folder)


def _files_below(folder: Path) -> list[Path]:
    _refuse_closed(folder)
    known = (path for path in _held_in(folder) if file_type_by_name(path) is not None)
    return [path for path in known if not _holds_no_rows(path)]


def _refuse_closed(folder: Path) -> None:
    """Refuse a folder, or one below it, that this user may not list: its logs would be lost in silence.

    Raises:
        DeniedLogError: there is one.
    """

    def refuse(error: OSError) -> None:
        if isinstance(error, PermissionError):
            raise DeniedLogError(
                f"The folder {error.filename} may not be read by this user: {error.strerror}.",
                "Have its owner give you the right to read and enter it (chmod, chown), or name the "
                "files that are to be read.",
            ) from error

    for _, inner, _ in os.walk(folder, onerror=refuse):
        inner[:] = [name for name in inner if not name.startswith(".")]


def _holds_no_rows(path: Path) -> bool:
    """Whether a file describes a dataset that the library ``datasets`` saved (``save_to_disk``).

    Beside its Arrow files such a folder has ``state.json``, which names them, and other files that
    describe the rows or that computations left.
    """
    folder = path.parent
    if path.suffix == ".arrow":
        named = _data_files(folder)
        return named is not None and path.name not in named
    if path.name not in _DATASET_FILES:
        return False
    others = any((folder / other).exists() for other in _DATASET_FILES - {path.name})
    return others or any(folder.glob("*.arrow")) or any(folder.glob("*/dataset_info.json"))


def _data_files(folder: Path) -> set[str] | None:
    """Return the Arrow files that ``state.json`` names, None if it names none."""
    try:
        state = json.loads((folder / "state.json").read_bytes())
        return {str(entry["filename"]) for entry in state["_data_files"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
