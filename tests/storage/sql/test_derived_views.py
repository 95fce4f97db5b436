"""Tests that the views agree with the tables and count every turn once."""

import json

import pytest

from qsquared.storage.sql.derived_views import SMALL_TABLES, VIEWS, read_by
from qsquared.storage.sql.queries import query
from qsquared.storage.sql.rates import difference, rates
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store
from tests.calling import q2


@pytest.fixture(scope="module")
def ask(scored):
    """A function from SQL to the rows of the example store."""
    with connect(Store.open(scored.store)) as connection:
        yield lambda sql: query(connection, sql).rows()


@pytest.mark.parametrize("view", [*SMALL_TABLES, *VIEWS], ids=lambda view: view.name)
def test_each_documented_column_of_a_view_is_there(ask, view):
    """Names and order are the dictionary's, and a column that is never NULL has none."""
    described = [name for name, *_ in ask(f"DESCRIBE {view.name}")]
    assert described == [column.name for column in view.columns]
    always = [column.name for column in view.columns if not column.null]
    missing = ", ".join(f'count(*) - count("{name}")' for name in always)
    assert set(*ask(f"SELECT {missing} FROM {view.name}")) == {0}
    # The example store was neither classified by `begin` nor calibrated, and no server was asked.
    none = {"calibrations", "requests", "costs"}
    expected = "begin" not in read_by(view.name) and view.name not in none
    assert ask(f"SELECT count(*) > 0 FROM {view.name}") == [(expected,)] or view.name == "measures"


def test_every_turn_has_one_outcome(ask):
    """No turn is lost or doubled, and each has a status; a score is there or a reason."""
    assert ask("SELECT count(*), count(DISTINCT (input, position)) FROM outcomes") == [(163, 163)]
    assert ask("SELECT count(*) FROM outcomes WHERE q2 IS NULL AND reason IS NULL") == [(0,)]
    found = dict(ask("SELECT status, count(*) FROM outcomes GROUP BY 1"))
    assert found["empty_response"] == found["no_knowledge"] == 3
    assert found["scored"] + found["fallback_nli"] + found["no_claim"] == 157


def test_days_and_groups_add_up_to_the_log(ask):
    """Each turn is in one day and in one group of each field that its row has."""
    of_days = ask("SELECT sum(turns)::INT, sum(scored)::INT, sum(inconsistent)::INT FROM daily")
    assert of_days == ask(
        "SELECT count(*), count(q2), count(*) FILTER (inconsistent) FROM outcomes"
    )
    of_groups = ask(
        "SELECT sum(turns)::INT, sum(scored)::INT, sum(inconsistent)::INT FROM by_group "
        "WHERE field = 'bot_version'"
    )
    assert of_groups == of_days
    ((shares, excess),) = ask(
        "SELECT sum(contribution), sum(excess) FROM by_group WHERE field = 'bot_version'"
    )
    assert shares == pytest.approx(1)
    assert excess == pytest.approx(0)


def test_the_groups_are_the_fields_of_the_log(ask):
    """Every further field of the log is a group, and no field of our own is."""
    fields = {name for (name,) in ask("SELECT DISTINCT field FROM by_group")}
    assert fields == {"bot_version", "topic", "expected", "note"}


def test_hallucinated_spans_are_those_with_such_a_verdict(ask):
    """One row for each such span, with the words cut from the reply (quotation marks are plain)."""
    cut = "translate(response[span_start + 1 : span_end], '\u201c\u201d', '\"\"')"
    assert ask(f"SELECT count(*) FROM hallucinated_spans WHERE {cut} != span") == [(0,)]
    (told,) = ask("SELECT count(*), count(DISTINCT (pair_id, span_index)) FROM hallucinated_spans")
    (expected,) = ask(
        "SELECT count(DISTINCT (pair_id, span_index)) FROM evidence "
        "JOIN scores s USING (metric, profile, pair_id) "
        "JOIN spans USING (metric, profile, pair_id, span_index) "
        "LEFT JOIN sentence_entailment j USING (metric, profile, pair_id, sentence) "
        "WHERE (verdict = 'contradicted' AND (coalesce(s.support, s.q2) <= 0.5 OR j.nli_label = 'contradiction')) "
        "OR (verdict = 'no_answer' AND NOT in_knowledge)"
    )
    assert told == (expected[0], expected[0])


def test_a_contradiction_counts_only_in_an_inconsistent_reply(ask):
    """A right reply of many questions may have one that was misread."""
    source = (
        "SELECT range::TEXT AS pair_id, NULL AS conversation_id, [0.2, 0.9][range + 1] AS q2, q2 AS score, "
        "1 AS contradicted, "
        "'scored' AS status FROM range(2)"
    )
    ((*_, contradicted, _),) = ask(rates(f"({source})", ()))
    assert contradicted == 1


def test_the_interval_is_wilsons_over_distinct_replies(ask):
    """81 of 263 gives the published 0.2553 to 0.3662; a reply said thrice is one observation."""
    rows = "SELECT range::TEXT AS pair_id, range::INT % {} < {} AS bad FROM range({})"

    def interval(source, times):
        relation = (
            f"(SELECT pair_id, NULL AS conversation_id, if(bad, 0.0, 1.0) AS q2, q2 AS score, "
            "0 AS contradicted, 'scored' AS status "
            f"FROM ({source}), range({times}))"
        )
        ((turns, *_, low, high, _, _, _, _),) = ask(rates(relation, ()))
        return turns, round(low, 4), round(high, 4)

    source = rows.format(263, 81, 263)
    assert interval(source, 1) == (263, 0.2553, 0.3662)
    assert interval(source, 3) == (789, 0.2553, 0.3662)


def test_the_interval_of_a_difference_is_newcombes(ask):
    """56 of 70 against 48 of 80 gives the published 0.0524 to 0.3339."""

    def rate(bad, of):
        source = (
            f"SELECT range::TEXT AS pair_id, NULL AS conversation_id, if(range < {bad}, 0.0, 1.0) AS q2, q2 AS score, "
            f"0 AS contradicted, 'scored' AS status FROM range({of})"
        )
        ((_, _, _, _, middle, low, high, _, _, _, _),) = ask(rates(f"({source})", ()))
        return {"rate": middle, "rate_low": low, "rate_high": high}

    found = difference(rate(56, 70), rate(48, 80))
    assert [round(number, 4) for number in found] == [0.2, 0.0524, 0.3339]


def test_replies_that_claim_nothing_are_outside_of_the_rate(ask):
    """They are counted, and coverage is over the other turns."""
    source = (
        "SELECT range::TEXT AS pair_id, NULL AS conversation_id, [0.2, 1.0, NULL, NULL][range + 1] AS q2, q2 AS score, "
        "0 AS contradicted, ['scored', 'scored', 'no_claim', 'error'][range + 1] AS status "
        "FROM range(4)"
    )
    ((turns, scored, coverage, inconsistent, rate, *_, no_claim),) = ask(rates(f"({source})", ()))
    assert (turns, scored, inconsistent, rate, no_claim) == (4, 2, 1, 0.5, 1)
    assert coverage == pytest.approx(2 / 3)


def test_a_group_without_a_score_has_no_rate(tmp_path):
    """NULL, not 0 of 0: before anything is scored every rate is unknown and coverage 0."""
    log = tmp_path / "log.jsonl"
    rows = [
        {"id": 1, "response": "", "knowledge": "x", "bot": "a", "nested": {"x": 1}, "gap": None},
        {"id": 2, "response": " ", "knowledge": "x", "bot": "b", "timestamp": 1763632800},
    ]
    log.write_text("\n".join(json.dumps(row) for row in rows))
    store = tmp_path / "store"
    assert q2("score", log, "--store", store).code == 0
    with connect(Store.open(store)) as connection:
        found = query(connection, "SELECT * EXCLUDE (metric, profile) FROM by_group ORDER BY value")
        days = query(connection, "SELECT day IS NULL, turns, coverage, rate FROM daily ORDER BY 1")
    none = (1, 0, 0.0, 0, None, None, None, None, None, 0, 0, None, None)
    assert found.rows() == [("bot", "a", *none), ("bot", "b", *none)]
    assert days.rows() == [(False, 1, 0.0, None), (True, 1, 0.0, None)]
