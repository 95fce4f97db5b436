"""Places of the papers that code and pages cite, against the list of `docs/papers/places.toml`."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT

PAPERS = tomllib.loads((ROOT / "docs/papers/places.toml").read_text(encoding="utf-8"))
FOLDERS = (
    "docs",
    "lab",
    "language",
    "method",
    "qsquared",
    "storage",
    "tasks",
)
ENDINGS = {".py", ".toml", ".md"}
LEFT_OUT = ("docs/results/", "docs/performance", "docs/papers/places.toml")

_NUMBER = r"[1-9]\d?(?:\.\d)?|[A-F]"
_PLACE = re.compile(
    rf"\b([Ss]ection|[Tt]able|[Ff]igure|[Aa]ppendix|[Ee]quation)s? "
    rf"((?:{_NUMBER})\b(?:(?:, | and | to )(?:{_NUMBER})\b)*)"
)
_OURS = "|".join(re.escape(name) for one in PAPERS.values() for name in one["names"])
_NAMES = re.compile(rf"{_OURS}|[A-Z]\w+ et al\. \d{{4}}")
_OF_NAME = {name: paper for paper, one in PAPERS.items() for name in one["names"]}
_OF_PATH = (("qags", "qags"), ("begin", "begin"), ("glue", "glue"), ("usr", "glue"))
BEFORE = 120
"""Characters before a place in which the name of its paper is looked for; else the path tells."""


def cited(path: Path, text: str) -> list[tuple[str, str, str]]:
    """(paper, kind, number) of each place that a text cites."""
    default = next((paper for part, paper in _OF_PATH if part in path.as_posix()), "q2")
    found = []
    for place in _PLACE.finditer(text):
        names = _NAMES.findall(text[max(0, place.start() - BEFORE) : place.start()])
        if names and names[-1] not in _OF_NAME:
            continue  # of a paper that is not ours
        paper = _OF_NAME[names[-1]] if names and default == "q2" else default
        numbers = re.findall(_NUMBER, place[2])
        found += [(paper, place[1].lower(), number) for number in numbers]
    return found


FILES = [
    path
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in ENDINGS and not str(path.relative_to(ROOT)).startswith(LEFT_OUT)
]


def test_every_cited_place_is_in_its_paper():
    """A section, table, figure, appendix or equation that code or a page cites exists."""
    wrong = []
    number = 0
    for path in FILES:
        for paper, kind, place in cited(path.relative_to(ROOT), path.read_text(encoding="utf-8")):
            number += 1
            if place not in PAPERS[paper][kind]:
                wrong.append(f"{path.relative_to(ROOT)}: {kind} {place} of {paper}")
    assert not wrong
    assert number > 100


@pytest.mark.parametrize(
    ("path", "text", "places"),
    [
        ("method/q2/x.py", "(Q², section 3.9)", [("q2", "section", "3.9")]),
        ("method/qags.py", "K (section 5, table 4)", [("qags", "section", "5"), ("qags", "table", "4")]),
        ("docs/evaluation.md", "tables 7 and 8 of Q²", [("q2", "table", "7"), ("q2", "table", "8")]),
        ("docs/evaluation.md", "BEGIN's table 3", [("begin", "table", "3")]),
        ("a.py", "SQuAD (Rajpurkar et al. 2016, section 9.9)", []),
        ("a.py", "a table of A and the table 12", [("q2", "table", "12")]),
    ],
)  # fmt: skip
def test_a_place_is_read_with_its_paper(path, text, places):
    """The nearest name before it names the paper, else the path does."""
    assert cited(Path(path), text) == places
