"""Views of Q² over a few turns with given scores."""

import duckdb
import pytest

from qsquared.storage.sql.derived_views import view as view_of
from qsquared.storage.sql.rates import rates


@pytest.fixture
def ask():
    """A function from SQL to rows, over four turns of one day and bot; the last is not scored."""
    with duckdb.connect() as connection:
        connection.execute(
            """
CREATE TABLE turns AS SELECT 'log' AS source, 'i' AS input, n AS position, 't' || n AS id,
  'c' AS conversation_id, 1 AS turn, 'p' || n AS pair_id, NULL::TEXT AS status,
  NULL::TEXT AS reason, TIMESTAMPTZ '2026-11-16 09:00:00+00' AS timestamp,
  'r' AS response, ['k'] AS knowledge, ['Q?'] AS history, '{"bot": "a"}' AS metadata
FROM range(4) r(n);
CREATE TABLE scores AS SELECT 'q2' AS metric, 'compact' AS profile, 'p' || n AS pair_id,
  'scored' AS status, NULL::TEXT AS reason, [0.49, 0.5, 0.51][n + 1]::DOUBLE AS q2,
  0.0 AS q2_without_nli, 1 AS questions, 0 AS no_answer, 0 AS contradicted,
  NULL::TEXT AS reply_kind, NULL::TEXT AS worst_sentence,
  NULL::DOUBLE AS worst_sentence_q2, NULL::DOUBLE AS support, 'now' AS configuration
FROM range(3) r(n);
CREATE TABLE configurations AS
  SELECT 'q2' AS metric, 'compact' AS profile, 'now' AS configuration;"""
        )
        for view in map(view_of, ("outcomes", "daily", "by_group")):
            connection.execute(f"CREATE VIEW {view.name} AS {view.sql}")
        yield lambda sql: connection.execute(sql).fetchall()


def test_a_q2_of_exactly_one_half_is_an_inconsistent_outcome(ask):
    """The paper's section 5.1 calls 0.5 and below inconsistent; an unscored turn is neither."""
    assert ask("SELECT q2, inconsistent FROM outcomes ORDER BY id") == [
        (0.49, True),
        (0.5, True),
        (0.51, False),
        (None, None),
    ]


@pytest.mark.parametrize("view", ["daily", "by_group"])
def test_a_q2_of_exactly_one_half_counts_as_inconsistent(ask, view):
    """The rates by day and by group draw the line where the outcomes do."""
    assert ask(f"SELECT turns, scored, inconsistent FROM {view}") == [(4, 3, 2)]


def test_a_day_has_its_turns_that_claim_nothing_by_kind(ask):
    """Each turn counts, also those of one pair."""
    turns = """(SELECT 'p' || n % 3 AS pair_id, NULL AS conversation_id, NULL::DOUBLE AS q2,
    NULL::DOUBLE AS score, 0 AS contradicted,
      'd' AS day, 'no_claim' AS status, ['offer', 'thanks', NULL][n % 3 + 1] AS reply_kind
      FROM range(4) r(n))"""
    found = ask(f"SELECT no_claim, left_out FROM ({rates(turns, ('day',), kinds=True)})")
    assert found == [(4, {"offer": 2, "other": 1, "thanks": 1})]
    assert ask(f"SELECT no_claim, left_out FROM ({rates(turns, (), kinds=True)})") == found
    assert ask("SELECT left_out FROM daily") == [(None,)]
