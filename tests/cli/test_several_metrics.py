"""``q2 score`` with several metrics on a store that has Q² already."""

import csv
import json
import re

import pytest

from qsquared.cli.commands import score as command
from qsquared.cli.terminal.summary import explaining
from qsquared.tasks.jobs.graph import graph
from qsquared.tasks.metrics import METRICS
from tests.calling import q2


@pytest.mark.slow
def test_several_metrics_share_stages_and_stand_side_by_side(
    tmp_path, write_log, profiles, prefect_api
):
    """Q²'s stages are reused, the table has the blend and its parts, and SQL shows each once."""
    log, store = write_log("log.jsonl", 6), tmp_path / "store"
    common = ("--store", store, "--profile", "small-shards", "--profiles", profiles)
    assert q2("score", log, *common).code == 0
    out = tmp_path / "blend.csv"
    asked = ("--metric", "q2", "--metric", "blend")
    again = q2("score", log, *common, *asked, "--out", out)
    assert again.code == 0, again.err
    assert "3 stages run" in again.out
    assert "mean blend" in again.out
    with out.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 6
    for row in rows:
        parts = [float(row[name]) for name in ("q2", "nli", "token_f1")]
        assert abs(float(row["blend"]) - sum(parts) / 3) < 1e-6
    counts = (
        "SELECT metric, measure, count(value) AS n, any_value(status) AS status "
        "FROM measures GROUP BY 1, 2 ORDER BY 1, 2"
    )
    assert q2("sql", counts, "--store", store, "--csv").out.split() == [
        "metric,measure,n,status", "blend,blend,6,scored", "blend,token_f1,6,scored",
        "e2e_nli,e2e_nli,6,scored", "e2e_nli,nli,6,scored",
        "q2,q2,6,scored", "q2,q2_without_nli,6,scored", "q2,support,6,scored",
    ]  # fmt: skip
    once = q2("sql", "SELECT count(*) FROM scores", "--store", store, "--csv")
    assert once.out.split() == ["count_star()", "6"]
    third = q2("score", log, *common, "--metric", "blend")
    assert "0 stages run" in third.out
    alone = q2("score", log, *common, "--metric", "e2e_nli", "--out", tmp_path / "nli.csv")
    assert "0 stages run" in alone.out
    assert "mean e2e_nli" in alone.out
    assert "6  scored (100.0%)" in alone.out
    assert "mean Q²" not in alone.out
    with (tmp_path / "nli.csv").open(encoding="utf-8", newline="") as handle:
        (first, *_) = csv.DictReader(handle)
    assert first["status"] == "scored"
    assert float(first["e2e_nli"]) in {0.0, 0.5, 1.0}
    assert "q2" not in first
    assert q2("verify", "--store", store).code == 0


def test_an_option_of_a_metric_that_is_not_asked_for_is_refused(tmp_path, write_log):
    """An option that no asked metric reads is an error, not ignored."""
    asked = ("--metric", "e2e_nli", "--set", "variant=multi", "--store", tmp_path / "s")
    refused = q2("score", write_log("log.jsonl", 1), *asked)
    assert refused.code == 2
    assert "The parameter variant means nothing to the metrics e2e_nli" in refused.err


def test_an_unknown_metric_is_refused(tmp_path, write_log):
    """The message names the valid values."""
    refused = q2(
        "score", write_log("log.jsonl", 1), "--metric", "fluency", "--store", tmp_path / "s"
    )
    assert refused.code == 2
    assert "There is no metric 'fluency'" in refused.err
    assert "bertscore, blend, bleu" in refused.err


def test_metrics_with_a_comma_between_them_are_refused_with_what_to_write(tmp_path, write_log):
    """People who try one list are told to name the option again."""
    refused = q2(
        "score", write_log("log.jsonl", 1), "--metric", "q2,begin", "--store", tmp_path / "s"
    )
    assert refused.code == 2
    assert "Name several by --metric again." in " ".join(refused.err.split())


def test_the_papers_rules_are_one_option(write_log, tmp_path, monkeypatch):
    """All of them, or those of the named deviations; other parameters stay what was asked for."""
    asked = []
    monkeypatch.setattr(command, "_score", lambda options, _out: asked.append(options.parameters))
    common = ("score", write_log("log.jsonl", 1), "--store", tmp_path / "s")
    for options in (
        (),
        ("--as-published", "--set", "variant=multi"),
        ("--set", "by_value=null"),
        ("--set", "by_value=null", "--set", "questions_per_span=1"),
    ):
        done = q2(*common, *options)
        assert done.code == 0, done.err
    default, published, without, settings = map(graph(["q2"]).parameters, map(json.loads, asked))
    assert default == METRICS["q2"].defaults
    assert published == {**default, **METRICS["q2"].published, "variant": "multi"}
    assert without == {**default, "by_value": None}
    assert settings == {**without, "questions_per_span": 1}


def test_the_help_names_every_deviation_that_the_papers_rules_leave_out():
    """No more is promised than is turned."""
    page = " ".join(re.sub(r"[^\w-]", " ", q2("score", "--help").out).split())
    about = page.partition("Follow the papers")[2].partition("This stays")[0]
    turned = {name for metric in METRICS.values() for name in metric.published}
    parameters = {name for metric in METRICS.values() for name in metric.defaults}
    assert turned == {word for word in about.split() if word in parameters}


@pytest.mark.parametrize(
    ("label", "more"),
    [("compact", ""), ("compact+as_published", " --profile compact+as_published")],
)
def test_the_command_that_explains_a_turn_names_the_rules_of_its_score(label, more):
    """Else the turn is not scored yet, by the default profile and rules."""
    assert explaining("a b", "s", label) == f"q2 explain 'a b' --store s{more}"


def test_the_papers_rules_are_refused_where_they_change_nothing(write_log, tmp_path):
    """The message names the metrics."""
    asked = ("--as-published", "--metric", "bleu", "--store", tmp_path / "s")
    done = q2("score", write_log("log.jsonl", 1), *asked)
    assert done.code == 2
    assert "--as-published means nothing to the metrics bleu" in done.err
