"""A metric's stages over pairs in memory, without store, shards or Prefect."""

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.keys import pair_id
from qsquared.storage.tables import PAIRS, SITUATIONS, situation_id
from qsquared.tasks.jobs.graph import graph
from qsquared.tasks.stage import Roles, Rows, Tables


def pair_row(response: str, knowledge: Sequence[str]) -> dict[str, Any]:
    """Return a row of the table of pairs, with the id that a store would give it."""
    return {
        "pair_id": pair_id(response, knowledge),
        "response": response,
        "knowledge": list(knowledge),
    }


def situation_row(previous: str | None, response: str, knowledge: Sequence[str]) -> dict[str, Any]:
    """Return a row of the table of situations, with the id that a store would give it."""
    pair = pair_row(response, knowledge)
    situation = situation_id(pair["pair_id"], previous)
    return {"situation_id": situation, "previous": previous} | pair


def run_stages(
    pairs: Rows,
    roles: Roles,
    metric: str | Sequence[str] = "q2",
    parameters: Mapping[str, Any] | None = None,
    situations: Rows | None = None,
) -> Tables:
    """Run a metric's stages; return the table of each by its name.

    Args:
        pairs: rows of `pair_row`, each once.
        roles: the models.
        metric: name of the metric, or names of several.
        parameters: those that differ from the metrics' defaults; `as_published` for the paper's rules.
        situations: rows of `situation_row`, each once, for a metric that reads the previous turn.

    Raises:
        UsageError: there is no such metric or parameter.
        ModelError: a model cannot be loaded, or failed on all of many requests.
    """
    definition = graph([metric] if isinstance(metric, str) else metric)
    given = definition.parameters(parameters or {})
    tables: dict[str, Rows] = {PAIRS.name: pairs, SITUATIONS.name: situations or []}
    for stage in definition.stages:
        for role in stage.roles:
            roles.load(role)
        inputs = {name: tables[name] for name in stage.inputs}
        tables[stage.name] = stage.run(inputs, roles, {k: given[k] for k in stage.parameters})
    return tables
