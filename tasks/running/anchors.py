"""Anchors: replies that a new version of the models or stages scores at once, to be compared with the one before.

The stages are those of every run, on pairs in memory; the scores are kept under the lineage of `scores`,
so they are computed once for each version of models, code or endpoint.
"""

import logging

from qsquared.errors import Q2Error
from qsquared.profiles.anchors import anchors
from qsquared.storage.labels.drift import anchors_to_score, earlier_version
from qsquared.storage.records.comparisons import ANCHORS, AnchorScores, read_anchors, write_anchors
from qsquared.storage.records.store_index import StoreIndex, open_index
from qsquared.storage.tables.registry import SCORES
from qsquared.tasks.jobs.configuration import Configuration
from qsquared.tasks.jobs.graph import graph
from qsquared.tasks.jobs.in_memory import pair_row, run_stages
from qsquared.tasks.metric import Q2
from qsquared.tasks.running.stage_runner import StageRunner
from qsquared.tasks.stage import Row, Rows

logger = logging.getLogger("qsquared")

_COST = 10
"""The bundled replies are scored beside a run that scores so many times their number."""


def score_anchors(runner: StageRunner, scored: int) -> None:
    """Score anchors if another version of the same profile has scored turns of the store before.

    The bundled replies, of which the truth is known, are scored where the version before has done so,
    and beside a run that scored many pairs.
    Where that fails it is told, and the next run tries again: the turns of this one are scored.

    Args:
        runner: the job.
        scored: the number of pairs that the run scored.
    """
    try:
        _score(runner, scored)
    except Q2Error as error:
        logger.warning("This version was not compared with the one before: %s", error.message)


def _score(runner: StageRunner, scored: int) -> None:
    present = runner.configuration.lineages.get(SCORES.name)
    if present is None:
        return
    known = read_anchors(runner.store, present)
    truth = {} if known.bundled else _bundled()
    wanted = bool(truth) and scored >= _COST * len(truth)
    pairs: dict[str, Row] = {}
    # Without a second configuration there is no other version; the index of a large store takes a while.
    others: set[str] = set()
    if not known.at and len(runner.store.small_files("configurations")) > 1:
        index = open_index(runner.store, lenient=True)
        others = _others(index, runner.configuration, present)
        for other in others:
            pairs |= {row["pair_id"]: row for row in anchors_to_score(index, present, other)}
            wanted = wanted or bool(truth and read_anchors(runner.store, other).bundled)
    if wanted:
        pairs |= {pair: row for pair, (row, _) in truth.items()}
    if pairs or others:
        low = {pair: low for pair, (_, low) in truth.items()} if wanted else {}
        found = AnchorScores(_leading(runner, list(pairs.values())), low)
        write_anchors(runner.store, present, found, compared=bool(others))


def _bundled() -> dict[str, tuple[Row, bool]]:
    """Return the bundled replies as pairs by id, and whether each is inconsistent."""
    pairs = ((pair_row(one.response, one.knowledge), not one.supported) for one in anchors())
    return {row["pair_id"]: (row, low) for row, low in pairs}


def _others(index: StoreIndex, configuration: Configuration, present: str) -> set[str]:
    """Return the last versions before the present one that scored by the metrics of a configuration."""
    metrics = configuration.graph.metrics
    names = ((metric.name, configuration.label_of(metric)) for metric in metrics)
    return {one for name in names if (one := earlier_version(index, *name, present)) is not None}


def _leading(runner: StageRunner, pairs: Rows) -> dict[str, float]:
    """Return the leading score of each pair that has one."""
    if not pairs:
        return {}
    read = graph([Q2.name]).defaults
    parameters = {name: runner.configuration.parameters[name] for name in read}
    with runner.asking(ANCHORS, ANCHORS):
        rows = run_stages(pairs, runner.models, Q2.name, parameters)[SCORES.name]
    leading = {
        row["pair_id"]: row["q2"] if row["support"] is None else row["support"] for row in rows
    }
    return {pair: score for pair, score in leading.items() if score is not None}
