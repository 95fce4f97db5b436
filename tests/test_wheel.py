"""Tests of the wheel, installed in a fresh environment."""

import csv
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("qsquared", "flows", "gates", "language", "method", "models", "storage", "tasks")
KNOWLEDGE = "A checked bag on Petrel Air may weigh up to 23 kilograms."

pytestmark = pytest.mark.slow


def pip(*arguments):
    """Run pip, which asks no index."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    subprocess.run(list(map(str, command)), check=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of a copy of the checkout, which setuptools leaves its traces in."""
    copy = tmp_path_factory.mktemp("copy") / "checkout"
    traces = shutil.ignore_patterns(
        "build", "dist", "docs", "tests", "__pycache__", ".*", "*-store"
    )
    shutil.copytree(ROOT, copy, ignore=traces)
    folder = tmp_path_factory.mktemp("dist")
    pip("wheel", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", folder, copy)
    (made,) = folder.glob("qsquared-*.whl")
    return made


def test_the_wheel_has_every_module_page_and_model(wheel):
    """Files beside the modules, too: none is found in a checkout only."""
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = set()
    for room in ROOMS:
        files = (path for path in (ROOT / room).rglob("*") if path.is_file())
        expected |= {
            path.relative_to(ROOT).as_posix()
            if room == "qsquared"
            else f"qsquared/{path.relative_to(ROOT).as_posix()}"
            for path in files
            if path.suffix != ".pyc"
        }
    assert {name for name in held if not name.startswith("qsquared/evaluation/")} == expected


def test_the_wheel_scores_in_a_fresh_environment(wheel, tmp_path):
    """By its own models, without a network and away from the checkout."""
    home = tmp_path / "env"
    venv.create(home, symlinks=True)
    own = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    pip("--python", home / "bin" / "python", "install", "--no-deps", "--no-index", wheel)
    # The dependencies, but not the checkout, which their folder names in a file of its own.
    (own / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    rows = [
        {
            "id": "right",
            "knowledge": KNOWLEDGE,
            "response": "A checked bag may weigh 23 kilograms.",
        },
        {
            "id": "wrong",
            "knowledge": KNOWLEDGE,
            "response": "A checked bag may weigh 28 kilograms.",
        },
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = subprocess.run(
        [home / "bin" / "q2", "score", "log.jsonl", "--out", "scores.csv"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with (tmp_path / "scores.csv").open(encoding="utf-8", newline="") as handle:
        scores = {row["id"]: float(row["q2"]) for row in csv.DictReader(handle)}
    assert scores["wrong"] < 0.5 < scores["right"]
