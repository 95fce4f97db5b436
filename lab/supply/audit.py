"""``python -m lab.supply.audit``: check the installed releases for vulnerabilities and changes.

With pip-audit and a service of advisories within reach, every locked release is looked up, and a
known vulnerability ends the command with 1.
A service that cannot be reached is no finding and no clean bill either: the command says so, and its
exit code is that of the checks that need no service: the installed releases are the locked ones,
they fit together, and no installed file differs from its wheel's.
"""

import base64
import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.supply.lock import DEVELOPMENT, RUN, TORCH, normal

_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s\\]+)", re.MULTILINE)
_PATIENCE_SECONDS = 300
_SERVICES = ("pypi", "osv")
_SHOWN = 10


def pins() -> dict[str, str]:
    """Read the locked version of each project."""
    text = "".join(path.read_text(encoding="utf-8") for path in (RUN, TORCH, DEVELOPMENT))
    return {normal(name): version for name, version in _PIN.findall(text)}


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


def _tool() -> str | None:
    """Install pip-audit into an environment of its own, so that the audited one stays as it is."""
    folder = Path("build/audit")
    tool = folder / "bin" / "pip-audit"
    if not tool.exists():
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "pip-audit>=2.7"]
        for command in ([sys.executable, "-m", "venv", str(folder)], pip):
            subprocess.run(
                command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
    return str(tool) if tool.exists() else None


def ask(tool: str, service: str, locked: dict[str, str]) -> dict[str, list[str]] | None:
    """Look up the vulnerabilities of each release that the service knows; None without an answer."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as list_of_pins:
        list_of_pins.writelines(f"{name}=={version}\n" for name, version in locked.items())
        list_of_pins.flush()
        command = [
            *(tool, "--vulnerability-service", service, "--format", "json"),
            *("--progress-spinner", "off", "--disable-pip", "--no-deps"),
            *("--requirement", list_of_pins.name),
        ]
        try:
            done = subprocess.run(
                command, check=False, capture_output=True, timeout=_PATIENCE_SECONDS
            )
            answers = json.loads(done.stdout)["dependencies"]
        except (subprocess.TimeoutExpired, ValueError, KeyError):
            return None
    # A release that the service does not know is skipped, which is no answer.
    known = {a["name"]: [v["id"] for v in a["vulns"]] for a in answers if "vulns" in a}
    return known or None


def _print_some(findings: list[str], clean: str) -> None:
    for sentence in findings[:_SHOWN] or [clean]:
        print(sentence)
    if len(findings) > _SHOWN:
        print(f"… and {len(findings) - _SHOWN} more.")


def main() -> int:
    """Print the findings and the gaps of the audit; return 1 if there is a finding."""
    locked = pins()
    tool = _tool() if os.environ.get("Q2_AUDIT_OFFLINE") is None else None
    answers = None
    for service in _SERVICES if tool else ():
        answers = ask(tool or "", service, locked)
        if answers is not None:
            break
    known = answers or {}
    vulnerable = [
        f"{name} {locked.get(normal(name), '')} has known vulnerabilities: {', '.join(ids)}."
        for name, ids in known.items()
        if ids
    ]
    if answers is None:
        why = "no service of advisories could be reached" if tool else "pip-audit is not available"
        print(f"Known vulnerabilities were NOT checked: {why}. Try again with a network.")
    else:
        unasked = len(locked) - len(known)
        _print_some(vulnerable, f"No known vulnerability in {len(known)} locked releases.")
        if unasked:
            print(f"{unasked} locked releases were NOT checked: the service does not know them.")
    wrong = misinstalled(locked)
    _print_some(wrong, f"All {len(locked)} locked releases are installed as locked.")
    together = subprocess.run([sys.executable, "-m", "pip", "check"], check=False)
    changed = changed_files(locked)
    _print_some(changed, "Every installed file of them is what its wheel brought.")
    return 1 if vulnerable or wrong or changed or together.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
