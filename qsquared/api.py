"""Scores and explanations for notebooks and programs, in this process and without a store.

The stages are those of `q2 score`, so the same profile gives the same scores.
For logs of more than some thousand replies use `q2 score`: it remembers what it has done, goes on
after an interruption, and takes bounded memory.

    import qsquared

    frame = qsquared.score(replies, passages)
    qsquared.explain(replies[0], passages[0])
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from qsquared.errors import UsageError
from qsquared.language.models import Models, build_models
from qsquared.method.q2.explaining import explanation as method
from qsquared.profiles.loading import get_profile
from qsquared.report.notebook import to_html
from qsquared.storage.logs.fields.values import clean
from qsquared.storage.logs.turns import REASONS, status_of
from qsquared.tasks.jobs.graph import AS_PUBLISHED, graph
from qsquared.tasks.jobs.in_memory import evidence_of, pair_row, run_stages, sentences_of
from qsquared.tasks.stage import Rows, Tables

Knowledge = str | Sequence[str]
"""The knowledge of a response: one text, or several passages, which stay apart."""

_Q2 = {
    "q2": pl.Float64,
    "q2_without_nli": pl.Float64,
    "status": pl.String,
    "reason": pl.String,
    "questions": pl.Int32,
    "no_answer": pl.Int32,
    "contradicted": pl.Int32,
    "nli_label": pl.String,
}
_COLUMNS = {"q2": _Q2, "blend": _Q2 | dict.fromkeys(("blend", "nli", "token_f1"), pl.Float64)}
"""The metrics that give these tables, and their columns."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a response's score; a notebook shows it with colours.

    ``content`` has every part of it (see `qsquared.method.q2.explanation.Explanation`).
    """

    content: method.Explanation

    @property
    def q2(self) -> float | None:
        """Q² of the response, 0 to 1; None if it could not be scored."""
        return self.content.q2

    def to_json(self) -> dict[str, Any]:
        """Return the whole explanation as a plain JSON object."""
        return self.content.to_json()

    def _repr_html_(self) -> str:
        return to_html(self.content)

    def __str__(self) -> str:
        score = "not scored" if self.q2 is None else f"Q² {self.q2:.2f}"
        return f"{score}: {self.content.sentence()}"


def score(
    responses: Sequence[str],
    knowledge: Sequence[Knowledge],
    *,
    profile: str = "compact",
    profiles: str | Path | None = None,
    metric: str = "q2",
    parameters: Mapping[str, Any] | None = None,
    device: str = "cpu",
) -> pl.DataFrame:
    """Score responses against their knowledge.

    Args:
        responses: the replies.
        knowledge: for each reply a text or a list of passages.
        profile: the set of models; `q2 models list` shows them.
        profiles: a TOML file with further profiles.
        metric: `q2`, or `blend` for Q² with end-to-end NLI and token overlap beside it.
        parameters: those of the metric that differ from the defaults, as `{"variant": "multi"}`;
            `{"as_published": True}` gives the paper's rules.
        device: where the models run, as torch names it.

    Returns:
        One row for each response, in order: `q2` and `q2_without_nli` (0 to 1, null where not
        scored), `status`, `reason`, the numbers of valid `questions` and of those with `no_answer`
        or `contradicted`, `nli_label` of the fallback, and for `blend` the columns `blend`, `nli`
        and `token_f1`.

    Raises:
        UsageError: the two lists differ in length, hold something else than texts, or there is no
            such profile, metric or parameter.
        ModelError: a model is not on this machine or cannot be loaded.
    """
    models, given = _prepare(profile, profiles, metric, parameters, device)
    pairs = _pairs(responses, knowledge)
    tables = run_stages(_distinct(pairs), models, metric, given)
    scores = {row["pair_id"]: row for row in tables["scores"]}
    blends = {row["pair_id"]: row for row in tables.get("blend", [])}
    columns = _COLUMNS[metric]
    rows = []
    for pair in pairs:
        unscored = _unscored(pair)
        found = scores.get(pair["pair_id"], {}) if unscored is None else {}
        merged = {**blends.get(pair["pair_id"], {}), **found, **(unscored or {})}
        rows.append({name: merged.get(name) for name in columns})
    return pl.DataFrame(rows, schema=columns)


def explain(
    response: str,
    knowledge: Knowledge,
    *,
    history: Sequence[str] = (),
    profile: str = "compact",
    profiles: str | Path | None = None,
    parameters: Mapping[str, Any] | None = None,
    device: str = "cpu",
) -> Explanation:
    """Explain the Q² of one response: its spans, questions, answers and what pulls it down.

    Args:
        response: the reply.
        knowledge: a text or a list of passages.
        history: the turns before, for the picture only.
        profile: the set of models.
        profiles: a TOML file with further profiles.
        parameters: those of the metric that differ from the defaults.
        device: where the models run, as torch names it.

    Raises:
        UsageError: something is no text, or there is no such profile or parameter.
        ModelError: a model is not on this machine or cannot be loaded.
    """
    models, given = _prepare(profile, profiles, "q2", parameters, device)
    (pair,) = _pairs([response], [knowledge])
    unscored = _unscored(pair)
    tables: Tables = run_stages(_distinct([pair]), models, "q2", given)
    key = pair["pair_id"]
    row = tables["scores"][0] if unscored is None else unscored
    spans = [] if unscored else [row for row in tables["spans"] if row["error"] is None]
    return Explanation(
        method.explain(
            pair["response"],
            pair["knowledge"],
            spans,
            [] if unscored else evidence_of(tables, key),
            row,
            history=history,
            sentences=[] if unscored else sentences_of(tables, key),
        )
    )


def _prepare(
    profile: str,
    profiles: str | Path | None,
    metric: str,
    parameters: Mapping[str, Any] | None,
    device: str,
) -> tuple[Models, dict[str, Any]]:
    if metric not in _COLUMNS:
        raise UsageError(f"There is no metric {metric!r} here.", f"Metrics: {', '.join(_COLUMNS)}.")
    given = dict(parameters or {})
    known = graph([metric]).defaults.keys() | {AS_PUBLISHED}
    if unknown := sorted(given.keys() - known):
        raise UsageError(
            f"The metric {metric} has no parameter {unknown[0]!r}.",
            f"Parameters: {', '.join(sorted(known))}.",
        )
    found = get_profile(profile, Path(profiles) if profiles is not None else None)
    return build_models(found, device), given


def _pairs(responses: Sequence[str], knowledge: Sequence[Knowledge]) -> Rows:
    if isinstance(responses, str) or isinstance(knowledge, str):
        raise UsageError(
            "One text was given where a list of them is needed.",
            "Write score([reply], [knowledge]); knowledge is then one text or a list of passages.",
        )
    if len(responses) != len(knowledge):
        raise UsageError(
            f"There are {len(responses)} responses, but knowledge for {len(knowledge)}.",
            "Give one text or one list of passages for each response.",
        )
    rows = []
    for number, (response, known) in enumerate(zip(responses, knowledge, strict=True)):
        passages = [known] if isinstance(known, str) else list(known)
        wrong = [text for text in [response, *passages] if not isinstance(text, str)]
        if wrong:
            raise UsageError(
                f"Number {number} holds {type(wrong[0]).__name__} where a text is needed.",
                "Replace what is missing by an empty text; it gets a status and no score.",
            )
        # As a log is read: blank passages are none, and lone surrogates no characters.
        known_texts = [clean(text) for text in passages if text.strip()]
        rows.append(pair_row(clean(response), known_texts))
    return rows


def _unscored(pair: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return status and reason of a pair that has nothing to score; None for others."""
    status = status_of(pair["response"], pair["knowledge"])
    return None if status is None else {"status": status, "reason": REASONS[status]}


def _distinct(pairs: Rows) -> Rows:
    return list({pair["pair_id"]: pair for pair in pairs if _unscored(pair) is None}.values())
