"""Explanations of turns from the tables of a store."""

import json

import pytest

from qsquared.storage.outputs.explanations import explain_turns
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store


@pytest.mark.parametrize(
    ("own", "sources"),
    [
        ([{"title": "Bags"}, {"title": "Fees"}], 2),
        ([{"title": "Bags"}], 0),
        (["Bags", "Fees"], 0),
        ({"title": "Bags"}, 0),
    ],
)
def test_only_what_names_each_passage_names_them(tmp_path, own, sources):
    """A field of the log may have the name of ours and hold anything."""
    store = Store.open(tmp_path / "store", create=True)
    row = {"id": "a", "response": "It is five.", "knowledge": ["It is four.", "It is free."]}
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(row | {"knowledge_sources": own}) + "\n")
    ingest_file(store, log)
    with connect(store) as connection:
        (turn,) = explain_turns(connection, "a", "compact")
    assert len(turn.explanation.sources) == sources
    assert turn.metadata["knowledge_sources"] == own
