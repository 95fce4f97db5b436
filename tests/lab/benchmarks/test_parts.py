"""Tests that the parts of the benchmark run and that their decisions agree."""

import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from lab.benchmarks import page, results
from lab.benchmarks.bars import bars
from lab.benchmarks.commands.scoring import Run
from lab.benchmarks.corpus import REPEATED, make_pair, write_log
from lab.benchmarks.growth import measure as growth
from lab.benchmarks.growth.free_models import FreeModels
from lab.benchmarks.paper import measure as paper
from lab.benchmarks.paper.staged import run_stages
from lab.benchmarks.paper.twins import Twins, compare
from lab.benchmarks.results import add_run, read_runs
from lab.benchmarks.tables import marker_comments
from qsquared.errors import UsageError
from qsquared.profiles.loading import get_profile
from tests.conftest import ROOT
from tests.tasks.fakes import WordRoles

MACHINE = {
    "processor": "P",
    "cores": 2,
    "torch_threads": 2,
    "memory_gib": 8,
    "python": "3",
    "torch": "2",
    "transformers": "5",
}


@pytest.mark.slow
def test_the_papers_architectures_decide_alike_in_loop_and_stages(tmp_path, capsys):
    """Tiny ones of the same kinds: in float32 each reply of each model is that of the loop."""
    file = tmp_path / "paper.json"
    arguments = ["--tiny", "--pairs", "1", "--models", str(tmp_path), "--json", str(file)]
    assert paper.main([*arguments, "--engines", "fp32", "int8"]) == 0
    (run,) = read_runs(file)
    for role, counted in run["agreement"]["fp32"].items():
        assert counted["equal"] == counted["items"] == run["requests"][role]
    assert run["requests"]["question_answering"] > 1
    assert set(run["seconds"]) == {"loop", "fp32", "int8"}
    assert run["same_flow"] == {"fp32": True, "int8": True}


def test_a_log_repeats_as_said_and_is_the_same_each_time(tmp_path):
    """Three in ten turns come again, some of them often, and no other number gives the same pairs."""
    paths = [tmp_path / name for name in ("a", "b", "c")]
    pairs = [write_log(paths[0], 2000), write_log(paths[1], 2000)]
    write_log(paths[2], 300, first=pairs[0])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    given = [
        Counter((row["response"], *row["knowledge"]) for row in map(json.loads, path.open()))
        for path in paths
    ]
    assert len(given[0]) <= pairs[0]
    assert pairs[0] == pytest.approx(2000 * (1 - REPEATED), rel=0.1)
    assert max(given[0].values()) > 5
    assert not given[0].keys() & given[2].keys()


def test_a_varied_pair_keeps_its_length_and_its_agreement():
    """A number is changed in reply and knowledge alike."""
    response, knowledge = make_pair(0)
    for series in (1, 2):
        varied, passages = make_pair(series * 153)
        assert varied != response
        assert len(varied.split()) == pytest.approx(len(response.split()), abs=2)
        assert len(passages) == len(knowledge)


def test_free_models_score_every_pair():
    """Each reply with a long word has one question, and all stages have rows to write."""
    rows = [
        {"pair_id": str(number), "response": pair[0], "knowledge": pair[1]}
        for number, pair in enumerate(map(make_pair, range(20)))
    ]
    tables, _ = run_stages(rows, FreeModels(get_profile("compact")), {})
    assert [row["questions"] for row in tables["scores"]] == [1] * 20
    assert {row["status"] for row in tables["scores"]} == {"scored"}


def test_twins_work_hard_and_decide_by_their_guide():
    """The flow is that of the guide, and the share of equal replies is of the large models' own."""
    pair = {"pair_id": "p", "response": "Ann knows Bob.", "knowledge": ["Ann knows Cleo."]}
    guide, known = (
        WordRoles(),
        {"question_generation": {}, "question_answering": {}, "entailment": {}},
    )

    class Wrong(type(guide.question_answering)):
        def answer(self, requests):
            return [
                answer if "Cleo" in request.text else type(answer)(None, None, None, 0.0, 1.0, 1)
                for request, answer in zip(requests, super().answer(requests), strict=True)
            ]

    plain = run_stages([pair], guide, {})[0]
    right = Twins(guide, known, {"question_answering": WordRoles().question_answering})
    wrong = Twins(guide, known, {"question_answering": Wrong()})
    for twins in (right, wrong):
        assert run_stages([pair], twins, {})[0] == plain
    counted = compare(right, wrong)["question_answering"]
    assert 0 < counted["equal"] < counted["items"] == len(known["question_answering"])
    assert compare(right, right)["question_answering"]["share"] == 1.0
    assert compare(right, wrong)["entailment"]["items"] == 0


@pytest.fixture
def figures(tmp_path, monkeypatch):
    """Figures of runs that took round times, in the folder that the page reads."""
    monkeypatch.setattr(results, "describe_machine", lambda: MACHINE)
    roles = {"question_answering": {"items": 100, "equal": 99, "share": 0.99}}
    for loop in (20.0, 40.0, 30.0):
        run = {
            "pairs": 2,
            "seconds": {"loop": loop, "int8": 4.0},
            "processor_seconds": {"loop": loop, "int8": 5.0},
            "by_role": {
                "loop": {"question_answering": 1.0},
                "int8": {"question_answering": 1.0},
            },
            "agreement": {"int8": roles},
        }
        add_run(tmp_path / "paper.json", run)

    def score(models, logs, store, profile, profiles=None):
        assert all(log.exists() for log in logs)
        (store / "pairs").mkdir(parents=True, exist_ok=True)
        model_seconds = 8.0 if models == "real" else 0.0
        return Run(10.0, model_seconds, 500.0, {"spans": 9.0}, {"parser": model_seconds})

    monkeypatch.setattr(growth, "run_score", score)
    growth.main(["--turns", "50", "--json", str(tmp_path / "growth.json")])
    return tmp_path


def test_the_table_has_each_bar_beside_its_figure(figures):
    """Medians with their spread, shares of all decisions, and what was not measured is said."""
    found = {bar.name: bar.figure for bar in bars(page.read_figures(figures))}
    assert len(found) == 12
    int8 = found["paper's architectures against the published loop, int8"]
    wall, worked = "7.50 (5.00 to 10.00, 3 runs)×", "6.00 (4.00 to 8.00, 3 runs)×"
    assert int8 == f"{wall}, in processor time {worked}; 99.0% of 300 decisions equal"
    assert found["paper's architectures against the published loop, fp32"] == "not measured"
    assert found["profile compact, whole pipeline, cold store"].startswith("5.0 replies/s")
    assert found["everything but model time, compact, 10⁵ turns"].startswith("20.0% at 50 turns")
    assert found["rerun of 10⁶ turns, all cached, to the summary"] == "not measured"


def test_the_page_takes_the_figures_between_its_markers(figures):
    """Text around the markers is kept, a page without them is an error, and a picture is drawn."""
    begin, end = marker_comments(page.NAME)
    text = f"# Before\n\n{begin}\noutdated\n{end}\n\nAfter.\n"
    path, picture = figures / "page.md", figures / "picture.svg"
    path.write_text(text)
    for _ in range(2):
        page.main(["--figures", str(figures), "--markdown", str(path), "--picture", str(picture)])
    written = path.read_text()
    assert written.startswith(f"# Before\n\n{begin}\n| what | bar | aim | measured |")
    assert written.endswith(f"\n{end}\n\nAfter.\n")
    assert "outdated" not in written
    assert "| 50 | " in written
    assert picture.read_text().lstrip().startswith("<?xml")
    path.write_text("nothing")
    with pytest.raises(UsageError, match="lacks a marker"):
        page.main(["--figures", str(figures), "--markdown", str(path)])


def test_the_peak_of_a_process_is_not_that_of_the_process_which_started_it():
    """A large benchmark starts small runs, whose memory it reports."""
    held = bytearray(300_000_000)
    held[::4096] = b"x" * len(held[::4096])
    told = subprocess.run(
        [sys.executable, "-c", "from lab.benchmarks.machine import *; print(peak_megabytes())"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert 1 < float(told.stdout) < 200 < len(held) / 1e6
