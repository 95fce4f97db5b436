"""Scores and explanations for notebooks and programs, in this process and without a store; and opened stores.

The stages are those of `q2 score`, so the same profile gives the same scores.
For logs of more than some thousand replies use `q2 score`: it remembers what it has done, goes on
after an interruption, and takes bounded memory; `open_store` then reads its store.

    import qsquared

    scores = qsquared.score(replies, passages)
    scores.explain(0)
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import duckdb

from qsquared.errors import UsageError
from qsquared.language.models import build_models
from qsquared.notebooks.inputs import Frame, Knowledge, replies_of
from qsquared.notebooks.scoring import Explanation, Scores, frame_of, run
from qsquared.profiles.loading import get_profile
from qsquared.storage.connection import QueryLimits
from qsquared.storage.files.remote_paths import place
from qsquared.storage.sql.queries import hint_on, refuse_writing
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store
from qsquared.tasks.jobs.graph import Graph, graph
from qsquared.tasks.metrics import METRICS

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
    definition = graph(names)
    definition.refuse_unread(parameters or {})
    return definition


_LEAST_MEGABYTES = 64
"""As of `q2 sql --memory`."""


class OpenedStore(Mapping[str, duckdb.DuckDBPyRelation]):
    """The tables and views of a store, which are read when they are asked and never written.

    `store["outcomes"]` and `store.sql(question)` are relations of DuckDB, which know `filter`, `aggregate`,
    `df` and more; `pl(lazy=True)` and `to_arrow_reader()` give them to polars and Arrow in portions.
    """

    def __init__(self, root: Path, memory_megabytes: int) -> None:
        store = Store.open(root)
        self._root = store.root
        self._connection = connect(store, limits=QueryLimits(memory_megabytes=memory_megabytes))
        rows = self._connection.execute("SHOW TABLES").fetchall()
        self._names = [name for (name,) in rows]

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """Return the answer to a query, which is not run before its rows are asked for.

        Raises:
            UsageError: the SQL is wrong or does not only read.
        """
        try:
            statements = self._connection.extract_statements(query)
            for statement in statements:
                refuse_writing(self._connection, statement)
            relation: duckdb.DuckDBPyRelation | None = self._connection.sql(query)
        except duckdb.Error as error:
            raise UsageError(
                f"DuckDB refused the query: {error}", hint_on(query, str(error))
            ) from error
        if relation is None:
            raise UsageError("There is no statement in the query.", 'For instance: "FROM scores"')
        return relation

    def __getitem__(self, name: str) -> duckdb.DuckDBPyRelation:
        if name not in self._names:
            raise KeyError(f"{name}: the store has {', '.join(self._names)}")
        relation: duckdb.DuckDBPyRelation = self._connection.sql(f'FROM "{name}"')
        return relation

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _ipython_key_completions_(self) -> list[str]:
        return self._names

    def __repr__(self) -> str:
        return f"<store {self._root}: {', '.join(self._names)}>"

    def close(self) -> None:
        """Close the connection; its relations can be asked no longer."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def open_store(store: str | Path = "q2-store", *, memory_megabytes: int = 2048) -> OpenedStore:
    """Open a store to read it; `with` closes it again.

    Every byte of its tables is checked first.

    Args:
        store: its folder or address.
        memory_megabytes: memory that a query may take before it spills to disk.

    Raises:
        UsageError: no query can do with so little memory.
        StoreError: there is no store, or it cannot be used.
        DamagedFile: a table cannot be trusted.
    """
    if memory_megabytes < _LEAST_MEGABYTES:
        raise UsageError(
            f"No query can do with {memory_megabytes} MB of memory.",
            f"Give it {_LEAST_MEGABYTES} MB or more: memory_megabytes=2048",
        )
    return OpenedStore(place(str(store)), memory_megabytes)
