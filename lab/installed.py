"""``python -m lab.installed``: check that the installed releases are the locked ones, file by file."""

import base64
import hashlib
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-torch.lock")
_ENTRY = re.compile(r"^[A-Za-z0-9._-]+==[^\\\n]+", re.MULTILINE)


def normal(name: str) -> str:
    """Return a project's name as indexes write it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    """Read the locked version of each project that this Python and platform need."""
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in LOCKS)
    entries = [Requirement(entry) for entry in _ENTRY.findall(text)]
    return {
        normal(one.name): str(one.specifier).removeprefix("==")
        for one in entries
        if one.marker is None or one.marker.evaluate()
    }


def misinstalled(locked: dict[str, str]) -> list[str]:
    """Say of each locked project whether another version, or none, is installed."""
    found = {
        normal(item.metadata["Name"]): item.version.partition("+")[0]
        for item in importlib.metadata.distributions()
    }
    return [
        f"{name} is {found.get(name, 'missing')}, the lock says {version}."
        for name, version in sorted(locked.items())
        if found.get(name) != version
    ]


def changed_files(locked: dict[str, str]) -> list[str]:
    """Name each installed file that differs from its wheel's record."""
    changed = []
    for item in importlib.metadata.distributions():
        if normal(item.metadata["Name"]) not in locked:
            continue
        for file in item.files or ():
            if file.hash is None or file.hash.mode != "sha256":
                continue
            path = Path(str(file.locate()))
            digest = hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b""
            if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
                changed.append(f"{path} is not the file that {item.metadata['Name']} brought.")
    return changed


def main() -> int:
    """Print the findings; return 1 if there is one."""
    locked = pins()
    wrong = misinstalled(locked)
    print(*(wrong or [f"All {len(locked)} locked releases are installed as locked."]), sep="\n")
    together = subprocess.run([sys.executable, "-m", "pip", "check"], check=False)
    changed = changed_files(locked)
    print(*(changed or ["Every installed file of them is what its wheel brought."]), sep="\n")
    return 1 if wrong or changed or together.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
