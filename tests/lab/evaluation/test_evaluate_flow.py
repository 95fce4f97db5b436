"""The deployment that measures how far the metrics agree with people."""

import json

import pytest
from prefect.artifacts import Artifact

from qsquared.evaluation.flow import evaluate
from qsquared.method import bootstrap
from tests.faults.small_store import words_for_models
from tests.lab.evaluation.small_data import write_wow

pytestmark = pytest.mark.usefixtures("prefect_api")


@pytest.mark.slow
def test_the_flow_gives_the_report_of_the_command_as_artifact_and_files(tmp_path, monkeypatch):
    """The artifact on the server equals the two files."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 20)
    data, reports = tmp_path / "data", tmp_path / "reports"
    data.mkdir()
    write_wow(data)
    with words_for_models():
        found = evaluate("q2-wow", str(data), store=str(tmp_path / "store"), reports=str(reports))
    assert sorted(path.name for path in reports.iterdir()) == [
        "q2-wow-compact.json", "q2-wow-compact.md",
    ]  # fmt: skip
    written = json.loads((reports / "q2-wow-compact.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(found)) == written
    artifact = Artifact.get("evaluate-q2-wow")
    assert artifact.data == (reports / "q2-wow-compact.md").read_text(encoding="utf-8")
