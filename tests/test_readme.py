"""Tests that the commands of the README and of the pages behind it run, and that its quotes are their output."""

import csv
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from qsquared.storage.logs.file_types.detect import FILE_TYPES
from qsquared.storage.logs.format_engines.formats import known_formats
from qsquared.storage.logs.format_engines.recognition import FLAT
from qsquared.storage.outputs.results import EXPORTS
from tests.calling import alike, q2

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [
    README,
    *(
        (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        for name in ("sql", "rates", "exports", "models")
    ),
]
BLOCKS = [
    block
    for page in PAGES
    for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    if block.startswith((".venv/bin/", "make"))
]
COMMANDS = [
    [word.removeprefix(".venv/bin/") for word in words]
    for block in BLOCKS
    for words in [shlex.split(line) for line in re.split(r"\n(?=\S)", block.strip())]
    if words
]
Q2_COMMANDS = [words[1:] for words in COMMANDS if words[0] == "q2"]
_FIRST = next(place for place, words in enumerate(Q2_COMMANDS) if words[0] == "label")
OF_JUDGEMENTS = Q2_COMMANDS[_FIRST : _FIRST + 6]
"""Each rests on the one before, and they write into the store."""


@pytest.fixture
def newcomer(tmp_path, monkeypatch, scored):
    """A folder as a newcomer's after ``make score``, with a log of their own beside it."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "q2-store").symlink_to(scored.store)
    logs = tmp_path / "logs"
    logs.mkdir()
    row = {"id": "1", "context": "Coffee is grown in Brazil.", "answer": "It is grown in Brazil."}
    (logs / "today.jsonl").write_text(json.dumps(row) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_readme_shows_the_commands_that_are_tested_here():
    """The blocks are found, and hold nothing but ``make`` and ``q2``."""
    assert len(Q2_COMMANDS) >= 6
    assert {words[0] for words in COMMANDS} == {"make", "q2"}


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, marks=pytest.mark.slow if "compact-int8" in words else ())
        for words in Q2_COMMANDS
        if words not in OF_JUDGEMENTS
    ],
    ids=" ".join,
)
def test_each_command_of_the_readme_runs(newcomer, words):
    """A newcomer who types it gets an answer and no error."""
    if words[0] == "score":
        words = [*words, "--store", str(newcomer / "own-store")]
    outcome = q2(*words)
    assert outcome.code == 0, outcome.err
    assert outcome.out.strip()


def test_the_way_from_a_draw_to_a_rate_runs(newcomer):
    """The commands about judgements, in their order, on a store of their own."""
    shared = (newcomer / "q2-store").readlink()
    (newcomer / "q2-store").unlink()
    shutil.copytree(shared, newcomer / "q2-store")
    assert [words[0] for words in OF_JUDGEMENTS[3:]] == ["calibrate", "gate", "report"]
    for words in OF_JUDGEMENTS:
        outcome = q2(*words)
        assert outcome.code == 0, outcome.err
    assert "turns are inconsistent" in q2("rate").out


@pytest.mark.slow
def test_the_form_of_the_readme_is_filled_in_a_browser(newcomer, opened):
    """The same way with judgements made in the form: each verdict that ships, by a key."""
    shared = (newcomer / "q2-store").readlink()
    (newcomer / "q2-store").unlink()
    shutil.copytree(shared, newcomer / "q2-store")
    with (ROOT / "examples" / "judgements.csv").open(encoding="utf-8", newline="") as handle:
        verdicts = {row["turn"]: row["verdict"] for row in csv.DictReader(handle)}
    draw, read, *rest = OF_JUDGEMENTS
    assert q2(*draw).code == 0
    page = opened(newcomer / "form.html").page
    page.get_by_label("Your name").fill("Ann")
    page.get_by_role("button", name="Next").focus()
    for row in page.evaluate("form.rows"):
        page.keyboard.press(verdicts[row["turn"]][0])
        page.keyboard.press("n")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    download.value.save_as(newcomer / "ann.csv")
    for words in ([*read[:-1], "ann.csv"], *rest):
        outcome = q2(*words)
        assert outcome.code == 0, outcome.err
    assert "by 100 labels" in q2("rate").out


@pytest.mark.parametrize("target", ["score", "test", "test-slow", "test-all", "check", "bench"])
def test_the_make_targets_exist(target):
    """``make`` knows what the README and CONTRIBUTING name."""
    done = subprocess.run(
        ["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_quoted_explanation_is_what_the_command_prints(newcomer):
    """The README's example is the output of ``q2 explain`` up to the questions that do not count.

    Its scores are those of the shipped models, within 0.1.
    """
    quoted = re.search(r"`q2 explain (\S+)` prints.*?```text\n(.*?)```", README, re.DOTALL)
    assert quoted is not None
    printed = q2("explain", quoted[1], columns=400).out.replace(f"{ROOT}/", "")
    counted = printed.partition("Spans without a valid question")[0]
    score = re.compile(r"\d\.\d\d")
    shown = [" ".join(line.split()) for line in counted.splitlines() if line.strip()]
    lines = [" ".join(line.split()) for line in quoted[2].splitlines() if line.strip()]
    assert [score.sub("0.00", line) for line in lines] == [
        score.sub("0.00", line) for line in shown
    ]
    near = zip(score.findall(quoted[2]), score.findall(counted), strict=True)
    assert all(abs(float(stated) - float(found)) <= 0.1 for stated, found in near)


def test_the_quoted_table_is_what_the_query_prints(newcomer):
    """The means of the two bot versions are those of the shipped models."""
    quoted = re.search(r"```text\n(bot .*?)```", README, re.DOTALL)
    query = next(words for words in Q2_COMMANDS if "bot_version" in words[-1])
    assert quoted is not None
    assert alike(q2(*query).out, quoted.group(1))


def test_the_readme_can_be_read_in_one_go():
    """It has at most 200 lines."""
    assert len(README.splitlines()) <= 200


def test_the_number_of_example_replies_is_true(newcomer):
    """The README says how many turns the example log has."""
    stated = re.search(r"\((\d+) replies, some of them wrong on purpose\)", README)
    assert stated is not None
    counted = q2("sql", "SELECT count(*) AS n FROM turns", "--json").out
    assert json.loads(counted)["n"] == int(stated.group(1))


def test_links_of_the_readme_lead_somewhere():
    """Every relative link names a file or folder of the repository."""
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert len(links) >= 4
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_python_that_is_shown_runs(scored):
    """The lines for a notebook give scores and an explanation with colours."""
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    *lines, last = block.strip().splitlines()
    names = {}
    exec("\n".join(lines), names)
    assert names["scores"]["status"].to_list() == ["scored"]
    assert "<mark" in eval(last, names)._repr_html_()


def test_every_format_that_can_be_read_is_documented():
    """docs/logs.md names each format and each file type; its description says what counts as knowledge."""
    page = (ROOT / "docs" / "logs.md").read_text(encoding="utf-8")
    for name in [*known_formats(), FLAT, *FILE_TYPES]:
        assert f"`{name}`" in page
    assert all(form.grounds for form in known_formats().values())
    for name in EXPORTS:
        assert f"`{name}`" in (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
