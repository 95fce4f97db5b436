"""The score that a report judges turns by."""

import json

import duckdb

from qsquared.report.queries import scores_led_by

TURNS = "CREATE TABLE {} AS SELECT unnest([0.9, 0.2]) AS q2, {} AS support, 0.4::DOUBLE AS score"


def led(current, base=None):
    """Return the lead, and the scores of both tables, for turns with such supports."""
    with duckdb.connect() as connection:
        tables = {"current": current} | ({} if base is None else {"base": base})
        for name, supports in tables.items():
            connection.execute(
                TURNS.format(name, f"unnest({json.dumps(supports)}::JSON::DOUBLE[])")
            )
        lead = scores_led_by(connection, with_base=base is not None)
        scores = [
            connection.execute(f"SELECT score::DOUBLE FROM {name} ORDER BY q2").fetchall()
            for name in tables
        ]
    return lead, [[score for (score,) in rows] for rows in scores]


def test_support_leads_where_every_scored_turn_has_it():
    """The scores stay as the view gave them."""
    lead, scores = led([0.4, 0.4])
    assert (lead.score, lead.reason) == ("support", "")
    assert scores == [[0.4, 0.4]]


def test_scores_of_an_older_version_are_never_mixed_with_support():
    """One turn without support, and all are judged by Q²; the page says why."""
    lead, scores = led([0.4, None])
    assert lead.score == "Q²"
    assert lead.reason.startswith("1 of the turns have no support")
    assert scores == [[0.2, 0.9]]


def test_a_baseline_without_support_is_compared_by_q2_on_both_sides():
    """A run as published is such a baseline."""
    lead, scores = led([0.4, 0.4], [None, None])
    assert lead.score == "Q²"
    assert scores == [[0.2, 0.9], [0.2, 0.9]]
