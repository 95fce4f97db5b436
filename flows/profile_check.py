"""A profile checked by sixty labelled replies, the anchors: whether it works at all.

They are hand-written for this project, of thirty fields: for each knowledge one reply that it supports
and one that it does not.
Neither the words that a reply shares with its knowledge nor its length tell which is which.
No model is trained or tuned on them.
``qsquared/profiles/anchors.jsonl`` is a log of them, as `q2 score` reads it.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import polars as pl

from qsquared.flows.loop import Steps, score_logs
from qsquared.language.engines.devices import cache_folder
from qsquared.method.bootstrap import Array
from qsquared.method.roc_auc import Quality, quality
from qsquared.method.threshold import is_inconsistent
from qsquared.profiles.loading import get_profile
from qsquared.storage.connection import open_connection
from qsquared.storage.outputs.selected_turns import Selection
from qsquared.storage.sql.phrases import LEADING
from qsquared.storage.sql.views import over
from qsquared.storage.tables import CONSISTENCY, SCORES, SENTENCE_ENTAILMENT
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.running.stage_runner import open_job

LOG = files("qsquared.profiles").joinpath("anchors.jsonl")
"""The log with one reply a line; `label` is `supported` or `unsupported`."""

LEVEL = 0.001
"""A judge without any relation to the labels passes in one of so many checks; sixty replies need a
ROC-AUC of .73 for that."""

_MOST_UNSCORED = 6
_LEAST_ASKED = 20
"""Replies of the sixty on which a question must come through; `compact` asks about fifty and more."""
_MEASURES = {
    "score": "support, the score that leads",
    "judge": "the judge alone",
    "consistency": "the consistency model",
}
_REPLIES = f"""
SELECT t.id, array_to_string(t.knowledge, chr(10)) AS knowledge, {LEADING} AS score,
       coalesce(t.reason, s.reason) AS reason, coalesce(s.questions, 0) AS questions, j.judge, c.consistency
FROM ({{turns}}) t
LEFT JOIN ({{scores}}) s USING (pair_id)
LEFT JOIN ({{consistency}}) c USING (pair_id)
LEFT JOIN (SELECT pair_id, min(entailment) AS judge FROM ({{sentence_entailment}}) GROUP BY pair_id) j
  USING (pair_id)
ORDER BY t.ordinal, t.position
"""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A labelled reply, as the log has it; ``history`` has the user's question, if there is one.

    ``kind`` tells how the reply was written (a paraphrase, another number), ``id`` ends in `s` or `u`.
    """

    id: str
    field: str
    kind: str
    label: str
    knowledge: str | list[str]
    response: str
    history: Sequence[str] = ()

    @property
    def supported(self) -> bool:
        """Whether the knowledge supports the reply."""
        return self.label == "supported"


@cache
def anchors() -> tuple[Anchor, ...]:
    """Return the sixty labelled replies, in the order of the log."""
    lines = LOG.read_text(encoding="utf-8").splitlines()
    return tuple(Anchor(**json.loads(line)) for line in lines)


@dataclass(frozen=True, slots=True)
class Kind:
    """Replies of one kind and label, and how many are on the right side of the threshold."""

    name: str
    supported: bool
    replies: int
    right: int


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check; a profile with ``problems`` fails."""

    measures: dict[str, Quality]
    kinds: tuple[Kind, ...]
    wrong: tuple[str, ...]
    asked: int
    problems: tuple[str, ...]


def scores_by_profile(
    name: str, profiles: Path | None = None, device: str = "cpu", *, yes: bool = False
) -> pl.DataFrame:
    """Score the sixty replies by the loop of every run.

    The scores stay in a store of this machine's cache, so that a second check asks no model again.

    Returns:
        A row for each reply: `id`, `knowledge`, `score` (support, or else Q²), `reason`, `questions`
        that count, `judge` (the entailment of its least entailed sentence) and `consistency`.

    Raises:
        UsageError: there is no such profile.
        ModelError: a model of it is not there or cannot be loaded.
    """
    provided = get_profile(name, profiles).provides
    with as_file(LOG) as log:
        options = ScoreOptions(
            logs=[str(log)],
            store=str(cache_folder("checks") / "store"),
            profile=name,
            profiles=str(profiles.absolute()) if profiles else "",
            metrics=("q2", *provided & {"consistency"}),
            device=device,
            yes=yes,
        )
        summary = score_logs(options, Steps(options))
    runner = open_job(options.job)
    selection = Selection(tuple(summary["selection"]["inputs"]), summary["selection"]["limit"])
    tables = {table.name: table for table in (SCORES, SENTENCE_ENTAILMENT, CONSISTENCY)}
    paths = runner.paths.outputs(list(tables), summary["shard_keys"])
    rows = {name: over(table, paths.get(name, [])) for name, table in tables.items()}
    with open_connection(runner.store.root) as connection:
        query = _REPLIES.format(turns=selection.sql(runner.store), **rows)
        replies: pl.DataFrame = connection.sql(query).pl()
        return replies


def _values(replies: pl.DataFrame, column: str) -> Array:
    """Return a column of numbers, NaN where there is none."""
    return replies[column].cast(pl.Float64).fill_null(np.nan).to_numpy()


def judge(replies: pl.DataFrame) -> Check:
    """Return the check of a profile's scores of the sixty replies."""
    by_id = {anchor.id: anchor for anchor in anchors()}
    judged = [by_id[name] for name in replies["id"]]
    labels = np.array([float(anchor.supported) for anchor in judged])
    clusters = replies["knowledge"].to_list()
    measures = {
        name: quality(labels, values, clusters)
        for column, name in _MEASURES.items()
        if not np.isnan(values := _values(replies, column)).all()
    }
    score = _values(replies, "score")
    # An unscored reply is on neither side.
    right = ~np.isnan(score) & (is_inconsistent(score) == (labels < 0.5))
    kinds: dict[tuple[bool, str], list[bool]] = defaultdict(list)
    for anchor, is_right in zip(judged, right, strict=True):
        kinds[not anchor.supported, anchor.kind].append(bool(is_right))
    asked = int((_values(replies, "questions") > 0).sum())
    return Check(
        measures,
        tuple(
            Kind(kind, not unsupported, len(verdicts), sum(verdicts))
            for (unsupported, kind), verdicts in sorted(kinds.items())
        ),
        tuple(anchor.id for anchor, is_right in zip(judged, right, strict=True) if not is_right),
        asked,
        tuple(_problems(replies.filter(np.isnan(score)), len(score), asked, measures)),
    )


def _problems(
    unscored: pl.DataFrame, replies: int, asked: int, measures: dict[str, Quality]
) -> Iterator[str]:
    if len(unscored) > _MOST_UNSCORED:
        reason = next(iter(unscored["reason"].drop_nulls()), "no reason is known")
        yield f"{len(unscored)} of the {replies} replies have no score: {reason}"
    if asked < _LEAST_ASKED:
        yield (
            f"On {asked} of the {replies} replies a question comes through: the reader or the "
            "question generation is broken or swapped."
        )
    for name, measured in measures.items():
        value = measured.auc.value
        if measured.p_value > LEVEL and value is not None:
            why = (
                "its labels look swapped."
                if value < 0.3
                else "a model is broken, swapped or badly prompted."
            )
            yield f"ROC-AUC {value:.2f} of {name} is no better than chance may give: {why}"
