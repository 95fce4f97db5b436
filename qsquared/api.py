"""Scores and explanations for notebooks and programs, in this process and without a store.

The stages are those of `q2 score`, so the same profile gives the same scores.
For logs of more than some thousand replies use `q2 score`: it remembers what it has done, goes on
after an interruption, and takes bounded memory; `open_store` then reads its store.

    import qsquared

    scores = qsquared.score(replies, passages)
    scores.explain(0)
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from qsquared.errors import UsageError
from qsquared.language.models import build_models
from qsquared.notebooks.inputs import Frame, Knowledge, replies_of
from qsquared.notebooks.opened import OpenedStore, open_store
from qsquared.notebooks.results import Explanation, Scores
from qsquared.notebooks.scoring import frame_of, run
from qsquared.profiles.loading import get_profile
from qsquared.tasks.jobs.graph import AS_PUBLISHED, Graph, graph
from qsquared.tasks.metric import METRICS

__all__ = ["Explanation", "OpenedStore", "Scores", "explain", "open_store", "score"]


def score(
    responses: Sequence[str] | Frame,
    knowledge: Sequence[Knowledge] | str | None = None,
    *,
    history: Sequence[Knowledge] | str | None = None,
    response: str = "response",
    profile: str = "compact",
    profiles: str | Path | None = None,
    metric: str | Sequence[str] = "q2",
    parameters: Mapping[str, Any] | None = None,
    device: str = "cpu",
    progress: bool | None = None,
) -> Scores:
    """Score responses against their knowledge.

    Args:
        responses: the replies, as a list or a series; or a frame of polars or pandas or an Arrow table
            with the columns `response` and `knowledge`, and, if there is one, `history`.
        knowledge: for each reply a text or a list of passages; of a frame the name of the column.
        history: for each reply the text before it, or all of them, oldest first (only `begin` and
            `glue` read it); of a frame the name of the column.
        response: of a frame the name of the column with the replies.
        profile: the set of models; `q2 models list` shows them.
        profiles: a TOML file with further profiles.
        metric: a metric, such as `q2` or `blend`, or a list of them, scored together.
        parameters: those of the metrics that differ from the defaults, as `{"variant": "multi"}`;
            `{"as_published": True}` gives the papers' rules.
        device: where the models run, as torch names it.
        progress: show a bar; without it, on terminals and in notebooks.

    Returns:
        The scores, with one row for each reply, in order. For Q² its columns are `q2` and
        `q2_without_nli` (0 to 1, null where not scored), `status`, `reason`, the numbers of valid
        `questions` and of those with `no_answer` or `contradicted`, `nli_label` of the fallback,
        `reply_kind`, and the sentence that scores lowest; other metrics have the columns of their
        tables.

    Raises:
        UsageError: the lists differ in length, hold something else than texts, a frame lacks a column,
            or there is no such profile, metric or parameter.
        ModelError: a model is not on this machine or cannot be loaded.
    """
    names = (metric,) if isinstance(metric, str) else tuple(dict.fromkeys(metric or ()))
    definition = _graph(names, parameters)
    models = build_models(get_profile(profile, Path(profiles) if profiles else None), device)
    replies = replies_of(responses, knowledge, history, response=response)
    tables = run(replies, models, definition, names, dict(parameters or {}), progress)
    return Scores(
        frame_of(replies, tables, definition, names), profile, names, tuple(replies), tables
    )


def explain(
    response: str,
    knowledge: Knowledge,
    *,
    history: Knowledge | None = None,
    profile: str = "compact",
    profiles: str | Path | None = None,
    parameters: Mapping[str, Any] | None = None,
    device: str = "cpu",
) -> Explanation:
    """Explain the Q² of a response: its spans, questions, answers and what pulls it down.

    Args:
        response: the reply; for several, `score` them and ask `Scores.explain`.
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
    if not isinstance(response, str):
        raise UsageError(
            f"{type(response).__name__} was given where one reply is explained.",
            "For several: score(replies, knowledge).explain(0)",
        )
    scores = score(
        [response],
        [knowledge],
        history=None if history is None else [history],
        profile=profile,
        profiles=profiles,
        parameters=parameters,
        device=device,
        progress=False,
    )
    return scores.explain(0)


def _graph(names: tuple[str, ...], parameters: Mapping[str, Any] | None) -> Graph:
    if not names:
        raise UsageError("No metric is named.", f"Metrics: {', '.join(METRICS)}.")
    if not isinstance(parameters, Mapping | None):
        raise UsageError(
            f"The parameters are {type(parameters).__name__} and no dict.",
            'Write them as {"variant": "multi"}.',
        )
    if unknown := [name for name in names if name not in METRICS]:
        raise UsageError(f"There is no metric {unknown[0]!r}.", f"Metrics: {', '.join(METRICS)}.")
    definition = graph(names)
    known = definition.defaults.keys() | {AS_PUBLISHED}
    if wrong := sorted((parameters or {}).keys() - known):
        raise UsageError(
            f"The metric {', '.join(names)} has no parameter {wrong[0]!r}.",
            f"Parameters: {', '.join(sorted(known))}.",
        )
    return definition
