"""Local and remote paths: a folder of this machine, or a URL such as ``s3://bucket/store``.

A folder is a plain `pathlib.Path`.
A URL is a path of universal-pathlib over an fsspec filesystem, which has the same methods;
their differences are handled here and in ``object_leases``.
An object store has no rename: an object appears under its name when it is whole, so a table is
written on this machine first and then put in its place.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from qsquared.errors import Q2Error, UnreachableError, UsageError

WORK = "Q2_WORK"
"""The environment variable that names this machine's folder for the files of remote stores."""

_URL = re.compile(r"([a-z][a-z0-9+]*)://.")
_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs", "az": "azure", "abfs": "azure"}
_ATTEMPTS = 10


def place(location: str | Path) -> Path:
    """Return the path of a folder or a URL; a path is returned unchanged.

    Raises:
        UsageError: the URL is of a kind that is not known, or its library is not installed.
    """
    if not isinstance(location, str):
        return location
    match = _URL.match(location)
    if match is None:
        return Path(location)
    scheme = match[1]
    try:
        from upath import UPath

        # Other processes write too, so a listing would be out of date at once.
        path = UPath(location.rstrip("/"), use_listings_cache=False, **_options(scheme))
        _ = path.fs
    except ImportError as error:
        extra = _EXTRAS.get(scheme, "s3")
        raise UsageError(
            f"A store at {location} needs a library that is not installed: {error}.",
            f"Install it: pip install -e '.[{extra}]'",
        ) from error
    except ValueError as error:
        raise UsageError(
            f"The URL {location} cannot name a store: {error}.",
            "Give a folder, or a URL such as s3://bucket/folder.",
        ) from error
    # It has the methods of a path that the store uses, but not the class.
    return cast("Path", path)


def _options(scheme: str) -> dict[str, Any]:
    """Return options with more attempts than the library makes, unless the environment sets them."""
    if _EXTRAS.get(scheme) != "s3" or {"AWS_MAX_ATTEMPTS", "AWS_RETRY_MODE"} & os.environ.keys():
        return {}
    return {"config_kwargs": {"retries": {"mode": "standard", "max_attempts": _ATTEMPTS}}}


def is_url(location: str) -> bool:
    """Whether a location is a URL and no path of this machine."""
    return _URL.match(location) is not None


def is_remote(path: Path) -> bool:
    """Whether a path is a URL."""
    return not isinstance(path, Path)


def filesystem_of(path: Path) -> Any:
    """Return the fsspec filesystem of a URL."""
    return cast("Any", path).fs


def name_of(path: Path) -> str:
    """Return the path as its filesystem names it."""
    return str(cast("Any", path).path)


@contextmanager
def reaching(path: Path) -> Iterator[None]:
    """Raise failures of a remote store as such; a missing file stays a FileNotFoundError.

    Raises:
        UnreachableError: the store cannot be reached, or refuses.
    """
    if not is_remote(path):
        yield
        return
    try:
        yield
    except (FileNotFoundError, FileExistsError, Q2Error):
        raise
    # Each library has errors of its own, and not all of them are OSErrors.
    except Exception as error:
        raise not_reached(str(path), error) from error


def not_reached(name: str, error: BaseException) -> UnreachableError:
    """Return the error of a remote store that cannot be reached, or refuses."""
    reason = str(error).strip() or type(error).__name__
    return UnreachableError(
        f"{name} cannot be reached: {reason}",
        "Look at the address, the rights and the credentials (for S3: AWS_ENDPOINT_URL, AWS_PROFILE "
        "or AWS_ACCESS_KEY_ID); then run the same command again: it goes on where it stopped.",
    )


def working_folder(root: Path) -> Path:
    """Return this machine's folder for files that a remote store cannot hold; a local store itself."""
    if not is_remote(root):
        return root
    name = re.sub(r"[^A-Za-z0-9]+", "-", str(root))[-60:].strip("-")
    mark = hashlib.sha256(str(root).encode()).hexdigest()[:8]
    return remote_work_root() / f"{name}-{mark}"


def remote_work_root() -> Path:
    """Return the folder of this machine in which remote stores have their working folders."""
    given = os.environ.get(WORK)
    if given:
        return Path(given).absolute()
    caches = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(caches) / "qsquared"


def make_folder(folder: Path, *, parents: bool = False) -> None:
    """Make a folder; an object store has none and needs none."""
    if not is_remote(folder):
        folder.mkdir(parents=parents, exist_ok=True)


def put(data: bytes, path: Path) -> None:
    """Write an object of a remote store as a whole.

    Raises:
        UnreachableError: the store cannot be reached.
    """
    with reaching(path):
        filesystem_of(path).pipe_file(name_of(path), data)


def put_if_absent(data: bytes, path: Path) -> bool:
    """Write an object of a remote store unless it exists; return False if it does.

    Raises:
        UnreachableError: the store cannot be reached.
    """
    with reaching(path):
        try:
            filesystem_of(path).pipe_file(name_of(path), data, mode="create")
        except FileExistsError:
            return False
    return True


def get(path: Path) -> bytes:
    """Read all bytes of a file or object.

    Raises:
        FileNotFoundError: it is not there.
        UnreachableError: the remote store cannot be reached.
    """
    if not is_remote(path):
        return path.read_bytes()
    with reaching(path):
        return bytes(filesystem_of(path).cat_file(name_of(path)))


def objects_below(folder: Path) -> list[Path]:
    """List the objects below a folder of a remote store, by name.

    Raises:
        UnreachableError: the store cannot be reached.
    """
    with reaching(folder):
        try:
            names = filesystem_of(folder).find(name_of(folder))
        except FileNotFoundError:
            return []
    return sorted(folder / str(name).rpartition("/")[2] for name in names)


def objects_at(url: Path) -> list[Path]:
    """List the objects that a URL names, by name: one, those that fit a pattern, or all below a folder.

    Raises:
        UnreachableError: the server cannot be reached.
    """
    filesystem, name = filesystem_of(url), name_of(url)
    with reaching(url):
        if any(character in name for character in "*?["):
            names = [path for path in filesystem.glob(name) if filesystem.isfile(path)]
        else:
            names = [name] if filesystem.isfile(name) else filesystem.find(name)
        return [place(filesystem.unstrip_protocol(path)) for path in sorted(names)]


def is_there(path: Path) -> bool:
    """Whether a file or object exists.

    Raises:
        UnreachableError: the server cannot be reached, which says nothing of the object.
    """
    with reaching(path):
        return path.exists()


def stamp(path: Path) -> str:
    """Return a text that changes when a file or object is written anew.

    Raises:
        FileNotFoundError: it is not there.
        UnreachableError: the server cannot be reached.
    """
    if not is_remote(path):
        return str(path.stat().st_mtime_ns)
    with reaching(path):
        return str(filesystem_of(path).info(name_of(path)))


def stamps(folder: Path) -> list[str]:
    """Return a text for each file of a folder that changes when the file is written anew, by name.

    One request tells of all objects of a remote folder; a folder that is not there has no files.

    Raises:
        UnreachableError: the store cannot be reached.
    """
    with suppress(FileNotFoundError), reaching(folder):
        if is_remote(folder):
            objects = filesystem_of(folder).ls(name_of(folder), detail=True)
            named = {str(info["name"]).rpartition("/")[2]: str(info) for info in objects}
        else:
            with os.scandir(folder) as entries:
                named = {entry.name: str(entry.stat().st_mtime_ns) for entry in entries}
        return [
            f"{name}:{stamp}" for name, stamp in sorted(named.items()) if not name.startswith(".")
        ]
    return []


def upload(file: Path, path: Path) -> None:
    """Copy a file of this machine into a remote store, where it appears as a whole.

    Raises:
        UnreachableError: the store cannot be reached.
    """
    with reaching(path):
        filesystem_of(path).put_file(str(file), name_of(path))


def move(path: Path, target: Path) -> None:
    """Rename a file of a remote store: copy it whole, then remove the old one.

    Raises:
        FileNotFoundError: it is not there.
        UnreachableError: the store cannot be reached.
    """
    with reaching(path):
        filesystem_of(path).copy(name_of(path), name_of(target))
        path.unlink(missing_ok=True)


def download(path: Path, file: Path) -> None:
    """Copy an object of a remote store to a file of this machine.

    Raises:
        FileNotFoundError: it is not there.
        UnreachableError: the store cannot be reached.
    """
    with reaching(path):
        filesystem_of(path).get_file(name_of(path), str(file))
