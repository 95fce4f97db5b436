"""Tests that the environment equals the lock, and that unreachable services are reported."""

import re
from pathlib import Path

import pytest

from lab.supply import audit, lock
from tests.conftest import ROOT

FILES = (lock.RUN, lock.TORCH, lock.DEVELOPMENT)
ENTRY = re.compile(
    r"^(?P<name>[a-z0-9.-]+)==(?P<version>\S+) \\\n(?P<hashes>(?:    --hash=.*\n)+)", re.MULTILINE
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_locked_release_has_hashes(path):
    """A lock file is nothing but a comment and exact versions, each with a SHA-256 or more."""
    text = path.read_text()
    assert text.startswith("# ")
    assert ENTRY.sub("", text.split("\n", 1)[1]) == ""
    for entry in ENTRY.finditer(text):
        hashes = [line.strip(" \\") for line in entry["hashes"].splitlines()]
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", line) for line in hashes)


def test_every_dependency_of_the_project_is_locked():
    """No requirement of pyproject.toml is left to what the index offers that day."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {lock.normal(re.match(r"[A-Za-z0-9._-]+", line).group()) for line in wanted}
    assert names <= audit.pins().keys()


def test_what_make_installs_is_checked_by_hash():
    """Locked releases are installed by hash only, and the package itself without an isolated build."""
    make = (ROOT / "Makefile").read_text()
    assert "HASHED := install --require-hashes --no-deps" in make
    for path in FILES:
        assert re.search(rf"\$\(HASHED\).*-r {path.name}", make)
    installs = re.findall(r"^\t\$\(PIP\) install (.*)$", make, re.MULTILINE)
    assert installs
    assert all("--no-build-isolation -e" in line for line in installs)


@pytest.mark.parametrize(
    ("file", "version", "fits"),
    [
        ("x-1.0-py3-none-any.whl", "1.0", True),
        ("x-1.0-py2.py3-none-any.whl", "1.0", True),
        ("x-1.0-cp312-cp312-win_amd64.whl", "1.0", True),
        ("x-1.0-cp39-abi3-manylinux_2_28_x86_64.whl", "1.0", True),
        ("x-1.0-1-cp311-cp311-macosx_11_0_arm64.whl", "1.0", True),
        ("x-1.0.tar.gz", "1.0", True),
        ("x-1.0-cp39-cp39-win_amd64.whl", "1.0", False),
        ("x-1.0-cp314-cp314-win_amd64.whl", "1.0", False),
        ("x-1.0.1-py3-none-any.whl", "1.0", False),
        ("x-1.0.1.tar.gz", "1.0", False),
    ],
)
def test_a_release_is_locked_with_the_files_that_a_supported_python_can_use(file, version, fits):
    """Wheels of Python 3.11 to 3.13, of any platform, and the source."""
    assert lock.fits(file, version) is fits


def test_hashes_are_read_from_a_page_of_an_index(tmp_path):
    """As PEP 503 writes them, whatever else is on the page."""
    page = tmp_path / "x"
    page.mkdir()
    good, other = "a" * 64, "b" * 64
    (page / "index.html").write_text(
        f'<a href="../../x-1.0-py3-none-any.whl#sha256={good}">x</a><br><a name="y">y</a>'
        f'<a href="../../x-2.0.tar.gz#sha256={other}">x</a><a href="x-1.0.tar.gz#md5=1">z</a>'
    )
    release = lock.Release("x", "1.0", "c" * 64)
    links = lock._Links()
    links.feed((page / "index.html").read_text())
    assert links.found == {"x-1.0-py3-none-any.whl": good, "x-2.0.tar.gz": other}
    assert [file for file in links.found if lock.fits(file, release.version)] == [
        "x-1.0-py3-none-any.whl"
    ]


def test_an_audit_without_a_service_says_so_and_finds_what_needs_none(monkeypatch, capsys):
    """Without an answer nothing is called sound, and a release that differs from the lock is a finding."""
    monkeypatch.setenv("Q2_AUDIT_OFFLINE", "1")
    monkeypatch.setattr(audit, "pins", lambda: {"pytest": "0.0.1"})
    monkeypatch.setattr(audit, "changed_files", lambda locked: [])
    assert audit.main() == 1
    said = capsys.readouterr().out
    assert "Known vulnerabilities were NOT checked" in said
    assert "No known vulnerability" not in said
    assert "pytest is " in said
    assert "the lock says 0.0.1." in said


def answering(tmp_path, answers):
    """A stand-in for pip-audit that gives these answers."""
    tool = tmp_path / "pip-audit"
    tool.write_text(f"#!/bin/sh\ncat <<'E'\n{answers}\nE\n")
    tool.chmod(0o755)
    return str(tool)


def test_a_known_vulnerability_is_found_and_a_skipped_release_is_no_answer(tmp_path):
    """Releases that the service does not know are counted as not asked, never as sound."""
    some = '{"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}, {"name": "b", "skip_reason": "?"}]}'
    assert audit.ask(answering(tmp_path, some), "pypi", {"a": "1", "b": "1"}) == {"a": ["CVE-1"]}
    none = '{"dependencies": [{"name": "a", "skip_reason": "?"}]}'
    assert audit.ask(answering(tmp_path, none), "pypi", {"a": "1"}) is None
    assert audit.ask(answering(tmp_path, "Traceback"), "pypi", {"a": "1"}) is None


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
    assert audit.changed_files({"x": "1.0"}) == []
    (tmp_path / "x.py").write_text("a = 2\n")
    (told,) = audit.changed_files({"x": "1.0"})
    assert "x.py" in told
