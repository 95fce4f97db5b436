"""``q2 score --metric blend`` on a store that has Q² already."""

import csv

from tests.calling import q2


def test_the_blend_costs_two_stages_more(tmp_path, write_log, profiles, prefect_api):
    """Q²'s stages are reused, the table has the blend and its parts, and SQL shows them."""
    log, store = write_log("log.jsonl", 6), tmp_path / "store"
    common = ("--store", store, "--profile", "small-shards", "--profiles", profiles)
    assert q2("score", log, *common).code == 0
    out = tmp_path / "blend.csv"
    again = q2("score", log, *common, "--metric", "blend", "--out", out)
    assert again.code == 0, again.err
    assert "2 stages run" in again.out
    assert "mean blend" in again.out
    with out.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 6
    for row in rows:
        parts = [float(row[name]) for name in ("q2", "nli", "token_f1")]
        assert abs(float(row["blend"]) - sum(parts) / 3) < 1e-6
    asked = q2(
        "sql", "SELECT count(*) FROM blend WHERE metric = 'blend'", "--store", store, "--csv"
    )
    assert asked.out.split() == ["count_star()", "6"]
    third = q2("score", log, *common, "--metric", "blend")
    assert "0 stages run" in third.out


def test_an_unknown_metric_is_refused(tmp_path, write_log):
    """The sentence names those that there are."""
    refused = q2("score", write_log("log.jsonl", 1), "--metric", "bleu", "--store", tmp_path / "s")
    assert refused.code == 2
    assert "--metric is 'bleu'" in refused.err
    assert "blend, q2" in refused.err
