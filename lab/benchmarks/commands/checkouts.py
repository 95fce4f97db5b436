"""Run code with the packages of another checkout, such as a git worktree, beside this one's."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parents[3]
"""This checkout."""
_OWN = """import sys
# An editable install would find the modules of its own checkout first.
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in f"{getattr(one, '__module__', '')} {one!r}"]
"""


def layout(checkout: Path, folder: Path) -> Path:
    """Link the packages of a checkout as Python imports them; return the folder for its path."""
    stated = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    (folder / "qsquared").mkdir(parents=True)
    for entry in (checkout / "qsquared").iterdir():
        (folder / "qsquared" / entry.name).symlink_to(entry)
    for name, place in stated["tool"]["setuptools"]["package-dir"].items():
        if name.count(".") == 1:
            (folder / name.replace(".", "/")).symlink_to(checkout / place)
    return folder


def run_there(
    packages: Path, code: str, arguments: Sequence[str]
) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own that imports the packages that `layout` linked.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    return subprocess.run(
        [sys.executable, "-c", _OWN + code, *arguments],
        env={**os.environ, "PYTHONPATH": str(packages), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=True,
        cwd=packages,
    )
