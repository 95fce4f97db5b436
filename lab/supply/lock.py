"""``python -m lab.supply.lock``: pin every dependency with the hashes of its files, for ``make lock``.

It writes three files: the dependencies of scoring, torch, and those of development.
Each release has the hashes of all its files for the supported versions of Python, as the package
index states them, and the hash of the file that pip chose here, which may come from elsewhere: a
CPU build of torch is on another index than the rest.
"""

import hashlib
import html.parser
import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "requirements.lock"
TORCH = ROOT / "requirements-torch.lock"
DEVELOPMENT = ROOT / "requirements-dev.lock"
_HEAD = "# {contents}; written by `make lock` from pyproject.toml, not by hand.\n"
_PYTHONS = ("11", "12", "13")
_TIMEOUT_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Release:
    """A release that pip chose, and the SHA-256 of the file that it would install."""

    name: str
    version: str
    chosen: str


class _Links(html.parser.HTMLParser):
    """File name → SHA-256 on a page of a package index (PEP 503)."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a link that states a hash."""
        address = urllib.parse.urlsplit(dict(attrs).get("href") or "" if tag == "a" else "")
        if address.fragment.startswith("sha256="):
            name = urllib.parse.unquote(address.path.rsplit("/", 1)[1])
            self.found[name] = address.fragment.removeprefix("sha256=")


def normal(name: str) -> str:
    """Return a project's name as indexes write it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def fits(file: str, version: str) -> bool:
    """Whether a file of an index is of this version and fits a supported Python."""
    if not file.endswith(".whl"):
        return file.removesuffix(".zip").removesuffix(".tar.gz").endswith(f"-{version}")
    _, found, *_, python, abi, _ = file.removesuffix(".whl").split("-")
    if found != version:
        return False
    if "py3" in python.split("."):
        return True
    numbers = re.findall(r"cp3(\d+)", python)
    # A wheel for the stable ABI serves every later Python too.
    return any(n in _PYTHONS or (abi == "abi3" and int(n) <= int(_PYTHONS[-1])) for n in numbers)


def resolve(requirement: str) -> list[Release]:
    """Resolve a requirement of this project as pip would for an empty environment.

    Raises:
        subprocess.CalledProcessError: it cannot be resolved.
    """
    command = [
        "install",
        "--quiet",
        "--dry-run",
        "--ignore-installed",
        "--report",
        "-",
        requirement,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *command], check=True, stdout=subprocess.PIPE, cwd=ROOT
    )
    releases = []
    for item in json.loads(done.stdout)["install"]:
        if "dir_info" not in item["download_info"]:
            named = item["metadata"]
            version = named["version"].partition("+")[0]
            releases.append(Release(normal(named["name"]), version, _hash(item["download_info"])))
    return releases


def _hash(download: dict[str, Any]) -> str:
    stated: str | None = download["archive_info"].get("hashes", {}).get("sha256")
    if stated is not None:
        return stated
    address = urllib.parse.urlsplit(download["url"])
    if address.scheme != "file":
        raise SystemExit(f"The index states no SHA-256 for {download['url']}.")
    with Path(urllib.request.url2pathname(address.path)).open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def index_hashes(index: str, release: Release) -> set[str]:
    """Read the SHA-256 of each fitting file of a release from the package index."""
    address = f"{index.rstrip('/')}/{release.name}/"
    with urllib.request.urlopen(address, timeout=_TIMEOUT_SECONDS) as answer:  # noqa: S310
        page = answer.read().decode("utf-8", "replace")
    links = _Links()
    links.feed(page)
    return {digest for file, digest in links.found.items() if fits(file, release.version)}


def lines(index: str, releases: list[Release]) -> str:
    """Return the releases in pip's form of requirements with hashes."""
    text = ""
    for release in sorted(releases, key=lambda r: r.name):
        hashes = sorted({release.chosen, *index_hashes(index, release)})
        text += " \\\n    ".join(
            [f"{release.name}=={release.version}", *(f"--hash=sha256:{h}" for h in hashes)]
        )
        text += "\n"
    return text


def main() -> None:
    """Write the lock files."""
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple")
    run = resolve(".")
    names = {release.name for release in run}
    more = [release for release in resolve(".[dev]") if release.name not in names]
    torch = [release for release in run if release.name == "torch"]
    others = [release for release in run if release.name != "torch"]
    for path, contents, releases in (
        (RUN, "What q2 needs besides torch", others),
        (TORCH, "torch, from PyPI or as a CPU build", torch),
        (DEVELOPMENT, "What development needs besides", more),
    ):
        path.write_text(_HEAD.format(contents=contents) + lines(index, releases), encoding="utf-8")


if __name__ == "__main__":
    main()
