"""Tests that the report separates chit-chat from claims where the store has the classes of BEGIN."""

from dataclasses import dataclass

import duckdb
import pytest

from qsquared.report.kinds import kinds


@dataclass
class Scope:
    """A scope as the figures read it."""

    profile: str = "compact+variant=multi"


@pytest.fixture
def connection():
    """Four turns of one day and two bots, of which two are chit-chat and one was not scored."""
    with duckdb.connect() as opened:
        opened.execute(
            """
CREATE TABLE current AS SELECT 'i' AS input, n AS position, 'p' || n AS pair_id,
  DATE '2026-11-16' AS day, [1.0, 0.0, 0.2, NULL][n + 1] AS q2, q2 AS score,
  '{"bot": "' || n % 2 || '", "text": "' || n || '"}' AS metadata FROM range(4) r(n);
CREATE TABLE replies AS SELECT 'i' AS input, n AS position, 'compact' AS profile,
  ['entailment', 'generic', 'hallucination', 'off-topic'][n + 1] AS label,
  n IN (1, 3) AS chit_chat FROM range(4) r(n)"""
        )
        yield opened


def test_rates_and_means_stand_without_chit_chat_too(connection):
    """A generic reply's low Q² counts in the one and not in the other."""
    found = kinds(connection, Scope(), 0.5)
    total = found["total"]
    assert (total["turns"], total["chit_chat"]) == (4, 2)
    assert (total["scored"], total["inconsistent"]) == (3, 2)
    assert (total["factual"], total["factual_inconsistent"]) == (2, 1)
    assert (total["mean_q2"], total["mean_factual_q2"]) == pytest.approx((0.4, 0.6))
    assert [(row["label"], row["turns"]) for row in found["labels"]] == [
        ("entailment", 1), ("hallucination", 1), ("off-topic", 1), ("generic", 1),
        ("contradiction", 0),
    ]  # fmt: skip


def test_groups_and_days_have_their_shares(connection):
    """By the plain fields of the log that group anything."""
    found = kinds(connection, Scope(), 0.5)
    (day,) = found["days"]
    assert (day["turns"], day["chit_chat_share"], day["mean_factual_q2"]) == (4, 0.5, 0.6)
    bots = {row["value"]: row for row in found["groups"] if row["field"] == "bot"}
    assert (bots["0"]["chit_chat_share"], bots["1"]["chit_chat_share"]) == (0.0, 1.0)


def test_a_store_without_classes_has_no_such_section(connection):
    """Neither has one that another profile classified."""
    assert kinds(connection, Scope("other"), 0.5) is None
