"""Tests that the environment equals the lock."""

import re
import sys
from pathlib import Path

import pytest

from lab import installed
from tests.conftest import ROOT

FILES = tuple(ROOT / name for name in installed.LOCKS)
ENTRY = re.compile(
    r"^(?P<name>[a-z0-9.-]+)==(?P<version>[^ \n]+)(?P<marker> ; [^\\\n]+)? \\\n(?P<hashes>(?:    --hash=.*\n)+)",
    re.MULTILINE,
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_locked_release_has_hashes(path):
    """A lock file is nothing but comments and exact versions, each with a SHA-256 or more."""
    text = re.sub(r"^#.*\n", "", path.read_text(), flags=re.MULTILINE)
    assert len(ENTRY.findall(text)) > 0
    assert ENTRY.sub("", text).strip() == ""
    for entry in ENTRY.finditer(text):
        hashes = [line.strip(" \\") for line in entry["hashes"].splitlines()]
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", line) for line in hashes)


def test_every_dependency_of_the_project_is_locked():
    """No requirement of pyproject.toml is left to what the index offers that day."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {installed.normal(re.match(r"[A-Za-z0-9._-]+", line).group()) for line in wanted}
    assert names <= installed.pins().keys()


def test_what_make_installs_is_checked_by_hash():
    """Locked releases are installed by hash only, and the package itself without an isolated build."""
    make = (ROOT / "Makefile").read_text()
    assert "HASHED := install --require-hashes --no-deps" in make
    for path in FILES:
        assert re.search(rf"\$\(HASHED\).*-r {path.name}", make)
    installs = re.findall(r"^\t\$\(PIP\) install (.*)$", make, re.MULTILINE)
    assert installs
    assert all("--no-build-isolation -e" in line for line in installs)


def test_a_release_that_differs_from_the_lock_is_a_finding(monkeypatch, capsys):
    """It is named with the locked version."""
    monkeypatch.setattr(installed, "pins", lambda: {"pytest": "0.0.1"})
    monkeypatch.setattr(installed, "changed_files", lambda locked: [])
    assert installed.main() == 1
    said = capsys.readouterr().out
    assert "pytest is " in said
    assert "the lock says 0.0.1." in said


def test_a_release_for_another_platform_is_not_missed():
    """The lock names it; this machine does not need it."""
    text = (ROOT / "requirements.lock").read_text()
    assert "pywin32==" in text
    assert ("pywin32" in installed.pins()) == (sys.platform == "win32")


def test_a_changed_file_of_an_installed_release_is_found(monkeypatch, tmp_path):
    """One changed byte in site-packages is named with the release that brought the file."""
    import importlib.metadata

    info = tmp_path / "x-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: x\nVersion: 1.0\n")
    (tmp_path / "x.py").write_text("a = 1\n")
    import base64
    import hashlib

    digest = base64.urlsafe_b64encode(hashlib.sha256(b"a = 1\n").digest()).rstrip(b"=").decode()
    (info / "RECORD").write_text(f"x.py,sha256={digest},6\n")
    monkeypatch.setattr(
        importlib.metadata,
        "distributions",
        lambda: [importlib.metadata.PathDistribution(Path(info))],
    )
    assert installed.changed_files({"x": "1.0"}) == []
    (tmp_path / "x.py").write_text("a = 2\n")
    (told,) = installed.changed_files({"x": "1.0"})
    assert "x.py" in told
