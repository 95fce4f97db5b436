"""Views over nights, knowledge passages and the answers behind a score, on a few made turns."""

import json

import duckdb
import pytest

from qsquared.storage.sql.derived_views import view as view_of

DRILLING = ("passages", "nights", "answers_of")
SOURCES = json.dumps({"knowledge_sources": [{"title": "Fees"}, {"id": "7", "url": "u:7"}]})


@pytest.fixture
def ask():
    """A function from SQL to rows, over two nights with a question each, and three passages.

    Both questions about the pair of both nights are kept; the first passage contradicts one.
    """
    with duckdb.connect() as connection:
        connection.execute(
            f"""
CREATE TABLE turns AS SELECT 'log' AS source, 'i' AS input, n AS position, 't' || n AS id,
  NULL::TEXT AS conversation_id, NULL::INT AS turn, ['p0', 'p0', 'p1'][n + 1] AS pair_id,
  NULL::TEXT AS status, NULL::TEXT AS reason, ['Hi', [' how? ', 'How?', 'How?'][n + 1]] AS history,
  ['fee text', 'other text'] AS knowledge,
  TIMESTAMPTZ '2026-11-16 09:00:00+00' + INTERVAL (n) DAY AS timestamp,
  'r' || n AS response, '{SOURCES}' AS metadata FROM range(3) r(n);
CREATE TABLE pairs AS SELECT * FROM (VALUES
  ('p0', ['fee text', 'other text']), ('p1', ['third text'])) t(pair_id, knowledge);
CREATE TABLE scores AS SELECT 'q2' AS metric, 'compact' AS profile, 'p0' AS pair_id,
  'scored' AS status, NULL::TEXT AS reason, 0.5::DOUBLE AS q2, 0.0 AS q2_without_nli,
  2 AS questions, 0 AS no_answer, 1 AS contradicted, NULL::TEXT AS reply_kind,
  NULL::TEXT AS worst_sentence, NULL::DOUBLE AS worst_sentence_q2,
  NULL::DOUBLE AS support, 'now' AS configuration;
CREATE TABLE configurations AS
  SELECT 'q2' AS metric, 'compact' AS profile, 'now' AS configuration;
CREATE TABLE spans AS SELECT 'q2' AS metric, 'compact' AS profile, 'p0' AS pair_id, n AS span_index,
  's' AS text, 'entity' AS kind, NULL::TEXT AS label, 0 AS start, 1 AS "end" FROM range(2) r(n);
CREATE TABLE questions AS SELECT metric, profile, pair_id, span_index, 1 AS rank, 'q?' AS question
FROM spans;
CREATE TABLE roundtrip AS SELECT metric, profile, pair_id, span_index, 1 AS rank, 'kept' AS reason,
  's' AS response_answer FROM spans;
CREATE TABLE answers AS SELECT metric, profile, pair_id, span_index, 1 AS rank,
  'k' AS knowledge_answer, 0 AS passage, 0 AS knowledge_start, 1 AS knowledge_end FROM spans;
CREATE TABLE comparisons AS SELECT metric, profile, pair_id, span_index, 1 AS rank, 0.0 AS token_f1,
  NULL::TEXT AS nli_label, span_index::DOUBLE AS score,
  ['contradicted', 'supported'][span_index + 1] AS verdict, 'nli' AS decided_by,
  NULL::TEXT AS value_relation, false AS in_knowledge FROM spans;"""
        )
        for view in map(view_of, ("evidence", "outcomes", *DRILLING)):
            connection.execute(f"CREATE VIEW {view.name} AS {view.sql}")
        yield lambda sql: connection.execute(sql).fetchall()


def test_a_passage_counts_the_turns_that_it_was_given_to_and_that_it_answers(ask):
    """Title and address come from the log; a passage of unscored turns is neither used nor unused."""
    assert ask(
        "SELECT text, title, address, retrieved, scored, answered, contradicted, inconsistent, "
        "never_used FROM passages ORDER BY text"
    ) == [
        ("fee text", "Fees", None, 2, 2, 2, 2, 2, False),
        ("other text", "7", "u:7", 2, 2, 0, 0, 2, True),
        ("third text", "Fees", None, 1, 0, 0, 0, 0, None),
    ]


def test_a_question_is_compared_with_the_night_on_which_it_was_asked_before(ask):
    """Blanks and capitals make no other question, and the first night has nothing before it."""
    assert ask(
        "SELECT day::TEXT, day_before::TEXT, mean_q2, mean_q2_before, change, id, id_before "
        "FROM nights ORDER BY day"
    ) == [
        ("2026-11-17", "2026-11-16", 0.5, 0.5, 0.0, "t1", "t0"),
        ("2026-11-18", "2026-11-17", None, 0.5, None, "t2", "t1"),
    ]


def test_the_answers_of_a_turn_are_found_by_its_id(ask):
    """Each kept question is a row, with the passage that answers it."""
    assert ask("SELECT verdict, passage_text FROM answers_of WHERE id = 't1' ORDER BY score") == [
        ("contradicted", "fee text"),
        ("supported", "fee text"),
    ]
    assert ask("FROM answers_of WHERE id = 't2'") == []


def test_an_outcome_has_its_question_and_knowledge(ask):
    """The question is the turn before the reply."""
    assert ask("SELECT question, knowledge FROM outcomes WHERE id = 't1'") == [
        ("How?", ["fee text", "other text"])
    ]


@pytest.mark.parametrize("view", [*map(view_of, DRILLING)], ids=lambda v: v.name)
def test_the_columns_of_the_view_are_the_documented(ask, view):
    """By name and order."""
    described = [name for name, *_ in ask(f"DESCRIBE {view.name}")]
    assert described == [column.name for column in view.columns]
