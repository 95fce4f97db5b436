"""Tests that every promise of ``docs/reliability.md`` has tests."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_promise_names_tests_that_exist():
    """A renamed or removed test takes its promise along."""
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(named) > 40
    assert named <= there, sorted(named - there)


def test_every_promise_has_a_test():
    """Every row of the tables names a test."""
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and "promise |" not in line]
    assert len(rows) > 15
    assert all("`test_" in row for row in rows)
