"""Run the whole graph of Q² over rows in memory."""

import pytest

from qsquared.storage.keys import pair_id
from qsquared.tasks.jobs.graph import graph
from tests.tasks.fakes import WordRoles


@pytest.fixture
def roles():
    """Fresh fake models."""
    return WordRoles()


@pytest.fixture
def run_q2(roles):
    """A function from (response, knowledge…) pairs to all tables of Q², or of another metric."""

    def run(*pairs, metric="q2", **parameters):
        asked = graph([metric])
        tables = {
            "pairs": [{"pair_id": pair_id(r, k), "response": r, "knowledge": k} for r, *k in pairs]
        }
        for stage in asked.stages:
            rows = stage.run(tables, roles, asked.defaults | parameters)
            names = [column.name for column in stage.table.columns]
            assert all(list(row) == names or set(row) == set(names) for row in rows)
            tables[stage.name] = rows
        return tables

    return run
