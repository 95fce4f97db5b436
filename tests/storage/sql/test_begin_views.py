"""Shares of BEGIN's classes, and Q² beside the class of each turn."""

import duckdb
import pytest

from qsquared.storage.sql.derived_views import view as view_of

NAMES = ("replies", "classes_daily", "classes_by_group")


@pytest.fixture
def ask():
    """A function from SQL to rows, over five turns of two days and two bots."""
    with duckdb.connect() as connection:
        connection.execute(
            """
CREATE TABLE turns AS SELECT 'i' AS input, n AS position, 't' || n AS id, 'p' || n AS pair_id,
  's' || n AS situation_id, make_timestamp(2026, 11, 16 + n // 3, 9, 0, 0.0)::TIMESTAMPTZ AS timestamp,
  'r' AS response, '{"bot": "' || n % 2 || '", "deep": {"a": 1}}' AS metadata
FROM range(5) r(n);
CREATE TABLE begin AS SELECT 'begin' AS metric, 'compact' AS profile, 's' || n AS situation_id,
  ['entailment', 'generic', 'hallucination', 'off-topic', NULL][n + 1] AS label,
  ['entailment', 'neutral', 'neutral', 'neutral', NULL][n + 1] AS label3,
  0.5 AS begin_entailment, 'classifier' AS decided_by
FROM range(5) r(n);
CREATE TABLE scores AS SELECT 'q2' AS metric, 'compact' AS profile, 'p' || n AS pair_id,
  [1.0, 0.0, 0.5, 0.0][n + 1] AS q2, 0 AS contradicted
FROM range(4) r(n);
CREATE TABLE spans (pair_id TEXT, label TEXT);"""
        )
        for view in map(view_of, NAMES):
            connection.execute(f"CREATE VIEW {view.name} AS {view.sql}")
        yield lambda sql: connection.execute(sql).fetchall()


def test_chit_chat_has_no_factual_q2(ask):
    """Its Q² stays beside it; a turn that was not classified is neither."""
    assert ask("SELECT id, chit_chat, q2, factual_q2 FROM replies ORDER BY id") == [
        ("t0", False, 1.0, 1.0),
        ("t1", True, 0.0, None),
        ("t2", False, 0.5, 0.5),
        ("t3", True, 0.0, None),
        ("t4", None, None, None),
    ]


@pytest.mark.parametrize(
    ("change", "is_chit_chat"),
    [
        ("UPDATE turns SET response = 'I see, that sounds lovely. I think so!'", True),
        ("UPDATE turns SET response = 'The visit costs 120 euros in every case.'", False),
        ("UPDATE turns SET response = 'It takes three weeks.'", False),
        ("UPDATE turns SET response = 'We are open on Mondays.'", False),
        ("UPDATE turns SET response = 'My favourite place is Oslo.'", False),
        ("INSERT INTO spans VALUES ('p1', 'GPE')", False),
        ("INSERT INTO spans VALUES ('p1', NULL), (NULL, NULL)", True),
        ("UPDATE scores SET contradicted = 1", False),
    ],
)
def test_a_reply_that_claims_something_is_no_chit_chat(ask, change, is_chit_chat):
    """A number, a date, a name or a contradicted span is a claim, whatever the classifier says."""
    ask(change)
    assert ask("SELECT chit_chat, factual_q2 IS NULL FROM replies WHERE id = 't1'") == [
        (is_chit_chat, is_chit_chat)
    ]


def test_shares_by_day_are_over_classified_turns(ask):
    """The view has the mean over factual replies beside the mean over all."""
    first, second = ask(
        "SELECT turns, entailment, generic, off_topic, chit_chat_share, hallucination_share, "
        "mean_q2, mean_factual_q2 FROM classes_daily ORDER BY day"
    )
    assert first == pytest.approx((3, 1, 1, 0, 1 / 3, 1 / 3, 0.5, 0.75))
    assert second == (1, 0, 0, 1, 1.0, 0.0, 0.0, None)


def test_shares_by_group_are_of_the_plain_fields(ask):
    """A field that holds an object groups nothing."""
    found = ask("SELECT field, value, turns, chit_chat_share FROM classes_by_group ORDER BY value")
    assert found == [("bot", "0", 2, 0.0), ("bot", "1", 2, 1.0)]


@pytest.mark.parametrize("view", [*map(view_of, NAMES)], ids=lambda v: v.name)
def test_the_columns_are_those_that_are_documented(ask, view):
    """By name and order."""
    described = [name for name, *_ in ask(f"DESCRIBE {view.name}")]
    assert described == [column.name for column in view.columns]
