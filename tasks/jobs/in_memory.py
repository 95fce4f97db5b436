"""A metric's stages over pairs in memory, without store, shards or Prefect."""

from collections.abc import Mapping, Sequence
from typing import Any

from qsquared.storage.keys import pair_id
from qsquared.storage.tables.registry import PAIRS, SITUATIONS, situation_id
from qsquared.tasks.jobs.graph import graph
from qsquared.tasks.rows import question_of
from qsquared.tasks.stage import Roles, Row, Rows, Tables


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


_ANSWERED = ("knowledge_answer", "passage", "knowledge_start", "knowledge_end")
_COMPARED = ("nli_label", "verdict", "score", "decided_by", "value_relation", "in_knowledge")


def sentences_of(tables: Tables, pair: str) -> Rows:
    """Return the sentences of a pair's reply with their scores."""

    def of_pair(name: str) -> dict[int, Row]:
        return {row["sentence"]: row for row in tables[name] if row["pair_id"] == pair}

    scores, judged = of_pair("sentence_scores"), of_pair("sentence_entailment")
    return [
        {"quotation": judged.get(number, {}).get("quotation"), **scores[number], **row}
        for number, row in of_pair("sentences").items()
        if number in scores
    ]


def evidence_of(tables: Tables, pair: str) -> Rows:
    """Return one row for each question about a pair, as in the view `evidence` of a store."""

    def of_pair(name: str) -> Rows:
        return [row for row in tables[name] if row["pair_id"] == pair and row["error"] is None]

    spans = {row["span_index"]: row for row in of_pair("spans")}
    later = [
        {question_of(row): row for row in of_pair(name)}
        for name in ("roundtrip", "answers", "comparisons")
    ]
    rows = []
    for question in of_pair("questions"):
        decision, answer, comparison = (
            by_question.get(question_of(question), {}) for by_question in later
        )
        rows.append(
            {
                "span_index": question["span_index"],
                "span": spans[question["span_index"]]["text"],
                "question": question["question"],
                "roundtrip": decision.get("reason"),
                "response_answer": decision.get("response_answer"),
                **{name: answer.get(name) for name in _ANSWERED},
                **{name: comparison.get(name) for name in _COMPARED},
            }
        )
    return rows
