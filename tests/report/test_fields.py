"""Tests that the groups of a report bear whatever fields a log has."""

import json

import duckdb
import pytest

from qsquared.method.q2.explaining.explanation import explain
from qsquared.report.cases import Case
from qsquared.report.queries import ARTICLE, by_field


def groups_of(fields):
    """Return the values of each field over turns with such fields, by the names of the fields."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE current (pair_id TEXT, q2 DOUBLE, score DOUBLE, contradicted INT, status TEXT, "
            'conversation_id TEXT, metadata TEXT, input TEXT, "position" INT, source TEXT, turn INT)'
        )
        connection.execute("CREATE TABLE answered AS SELECT 'p0' AS pair_id, 1 AS passage")
        for n, one in enumerate(fields):
            row = [
                f"p{n}",
                0.25,
                0.25,
                0,
                "scored",
                None,
                json.dumps(one),
                "log",
                n,
                "logs/a.jsonl",
                None,
            ]
            connection.execute(f"INSERT INTO current VALUES ({', '.join('?' * len(row))})", row)
        found = by_field(connection, 0.5)
    return {field["name"]: {row["value"]: row["turns"] for row in field["rows"]} for field in found}


@pytest.mark.parametrize("own", ["wiki", 5, None, {"title": "Fees"}, [], ["Fees", 3, None, [1]]])
def test_a_field_of_the_log_that_names_no_passages_is_no_article(own):
    """The name of our own field may be that of a log's, which holds anything."""
    named = {"knowledge_sources": [{"title": "Hats"}, {"title": "Bags"}]}
    assert groups_of([named, {"knowledge_sources": own}])[ARTICLE] == {"Bags": 1}


def test_a_passage_that_was_only_retrieved_shares_no_blame():
    """Of several passages those count that answered a question; a single one always does."""
    three = {"knowledge_sources": [{"title": "Bags"}, {"title": "Fees"}, {"title": "Pets"}]}
    alone = {"knowledge_sources": [{"title": "Pets"}]}
    assert groups_of([three, alone])[ARTICLE] == {"Fees": 1, "Pets": 1}


def test_a_long_text_is_no_tag_of_a_case():
    """A prompt that each turn repeats says nothing of the turn; filters find it all the same."""
    values = {"bot": "1.5", "system_prompt": "You are a helpful assistant. " * 9}
    fields = list(values.items())
    case = Case(1, 0.1, 1, {}, explain("A.", ["B."], [], [], {"status": "scored"}), fields)
    assert case.tags == [("bot", "1.5")]
    assert dict(case.fields) == values
