"""Selection of the turns of a report, and of the turns to compare them with."""

import re
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from qsquared.errors import UsageError
from qsquared.method.threshold import THRESHOLD
from qsquared.storage.connection import quote
from qsquared.storage.files.remote_paths import is_remote, place
from qsquared.storage.labels.judged_replies import TurnFilter
from qsquared.storage.records.indexes.store_index import StoreIndex, open_index
from qsquared.storage.records.runs import digests_of
from qsquared.storage.sql.phrases import DAY
from qsquared.storage.sql.queries import not_selected
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store

_COMPARED = (
    "id, pair_id, conversation_id, status, q2, support, score, contradicted, metadata, outdated"
)
"""Columns of the turns of the baseline."""

ALL_TURNS = TurnFilter()


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The options of a report; ``cases`` is the number of hardest cases shown.

    ``selection`` takes a part of the turns by day and condition.
    """

    profile: str | None = None
    baseline: str | None = None
    run: str | None = None
    threshold: float = THRESHOLD
    cases: int = 200
    title: str | None = None
    selection: TurnFilter = ALL_TURNS


_UNKNOWN = re.compile(r'Could not find key "(\w+)" in struct|Referenced column "(\w+)" not found')


@dataclass(frozen=True, slots=True)
class Scope:
    """Turns by metric, profile and (None: all) inputs; ``run`` is the record of the last run."""

    name: str
    metric: str
    profile: str
    configuration: dict[str, Any]
    inputs: tuple[str, ...] | None
    run: dict[str, Any] | None
    selection: TurnFilter = ALL_TURNS

    def where(self) -> str:
        """Return the condition on the view `outcomes`, as SQL."""
        parts = [f"metric = {quote(self.metric)}", f"profile = {quote(self.profile)}"]
        if self.inputs is not None:
            names = ", ".join(map(quote, self.inputs)) or "NULL"
            parts.append(f"input IN ({names})")
        return " AND ".join([*parts, self.selection.condition])


def current_scope(index: StoreIndex, options: ReportOptions) -> Scope:
    """Select the turns to report: of a run, or of a profile.

    Raises:
        UsageError: there is no such profile or run, or nothing was scored.
    """
    if options.run is not None:
        run = _completed_run(index, options.run)
        if run is None:
            raise UsageError(
                f"The store has no completed run {options.run!r} of Q².", "The runs: q2 status"
            )
        scope = _of_run(index, run)
    else:
        scope = _of_profile(index, options.profile)
    return replace(
        scope, name=scope.name + _conditions(options.selection), selection=options.selection
    )


def logs_read(index: StoreIndex, scope: Scope, options: ReportOptions) -> tuple[str, ...] | None:
    """Return the fingerprints of the logs whose tables a report reads; None if it reads all.

    A condition may ask for any turn of the store, and so does a profile to compare with.
    """
    if scope.inputs is None or options.selection.where:
        return None
    if options.baseline is None:
        return scope.inputs
    if (run := _completed_run(index, options.baseline)) is not None:
        return (*scope.inputs, *(log["fingerprint"] for log in run["inputs"]))
    profiles = {configuration["profile"] for configuration in index.configurations}
    # Another store is read by itself.
    return None if options.baseline in profiles else scope.inputs


def _conditions(selection: TurnFilter) -> str:
    """Return the conditions of a selection, to stand behind the name of a run or profile."""
    return (
        f", from {selection.first}" * bool(selection.first)
        + f", to {selection.last}" * bool(selection.last)
        + f", where {selection.where}" * bool(selection.where)
    )


def _of_profile(index: StoreIndex, profile: str | None) -> Scope:
    scored = [config for config in index.configurations if "scores" in config["lineages"]]
    fitting = [config for config in scored if profile in {None, config["profile"]}]
    if not fitting:
        names = ", ".join(sorted({config["profile"] for config in scored}))
        others = ", ".join(sorted({config["metric"] for config in index.configurations}))
        if profile:
            problem = f"Nothing in the store was scored with the profile {profile!r}."
        elif others:
            problem = f"Nothing in the store was scored with Q² yet, only with {others}."
        else:
            problem = "Nothing in the store was scored yet."
        raise UsageError(
            problem, f"The store has: {names}." if names else "Score a log first: q2 score LOGS"
        )
    # Of several the one completed last; the metric q2 before others that rest on it.
    last = max(fitting, key=lambda config: (config["last_used"][:16], config["metric"] == "q2"))
    return _scope(index, last, last["profile"], None)


def _of_run(index: StoreIndex, run: dict[str, Any]) -> Scope:
    digests = digests_of(run).values()
    configurations = (
        config
        for config in index.configurations
        if config["digest"] in digests and "scores" in config["lineages"]
    )
    configuration = next(configurations, None)
    if configuration is None:
        raise UsageError(
            f"The run {run['run_id']} was made with a configuration that newer models or stages "
            "have replaced since.",
            "Score its logs again, and name that run.",
        )
    inputs = tuple(log["fingerprint"] for log in run["inputs"])
    gone = set(inputs) - {manifest.fingerprint for manifest in index.inputs}
    if gone:
        raise UsageError(
            f"{len(gone):,} of the logs of the run {run['run_id']} have other content since.",
            "A store shows each log as it was last read; give each night a file of its own.",
        )
    return _scope(index, configuration, f"run {run['run_id']}", inputs, run)


def _scope(
    index: StoreIndex,
    configuration: dict[str, Any],
    name: str,
    inputs: tuple[str, ...] | None,
    run: dict[str, Any] | None = None,
) -> Scope:
    digest = configuration["digest"]
    runs = [
        other
        for other in index.runs
        if digest in digests_of(other).values() and other["status"] == "completed"
    ]
    last = max(runs, key=lambda other: (other["started_at"], other["run_id"]), default=None)
    metric, profile = configuration["metric"], configuration["profile"]
    return Scope(name, metric, profile, configuration, inputs, run or last)


def _completed_run(index: StoreIndex, name: str) -> dict[str, Any] | None:
    done = [run for run in index.runs if run["status"] == "completed" and "inputs" in run]
    with_scores = {
        config["metric"] for config in index.all_configurations if "scores" in config["lineages"]
    }
    done = [run for run in done if with_scores & digests_of(run).keys()]
    if name == "latest":
        return max(done, key=lambda run: (run["started_at"], run["run_id"]), default=None)
    return next((run for run in done if run["run_id"] == name), None)


def make_tables(
    connection: duckdb.DuckDBPyConnection, scope: Scope, condition: str = "true"
) -> None:
    """Make `current` of the turns to report that fit, with their day, and `answered`.

    `answered` has the passages that hold an answer, by pair.

    Raises:
        UsageError: the condition of the scope's selection is no SQL.
    """
    connection.execute(
        "CREATE TEMP VIEW answered AS SELECT DISTINCT pair_id, passage FROM answers "
        f"WHERE metric = {quote(scope.metric)} AND profile = {quote(scope.profile)} "
        "AND passage IS NOT NULL"
    )
    statement = (
        f"CREATE TEMP TABLE current AS SELECT * EXCLUDE (question, knowledge, fields), {DAY} AS day "
        f"FROM outcomes WHERE {scope.where()} AND {condition}"
    )
    try:
        connection.execute(statement)
    except (duckdb.ParserException, duckdb.BinderException, duckdb.ConversionException) as error:
        if unknown := _UNKNOWN.search(str(error)):
            raise _no_field(connection, unknown[1] or unknown[2]) from error
        raise not_selected(error, "the view `outcomes`", "fields.topic = 'fees'") from error


def _no_field(connection: duckdb.DuckDBPyConnection, name: str) -> UsageError:
    """Return the error of a condition on a field or column that there is not."""
    of_turns = connection.sql("SELECT * EXCLUDE (fields), fields FROM outcomes LIMIT 0")
    fields = [child for child, _ in of_turns.types[-1].children]
    if name in fields:
        return UsageError(
            f"The turns cannot be selected: {name} is a field of the log.",
            f"Write it as fields.{name}.",
        )
    columns = ", ".join(of_turns.columns[:-1])
    return UsageError(
        f"The turns cannot be selected: no log has a field {name!r}, nor is it a column.",
        f"The fields: {', '.join(f'fields.{field}' for field in fields) or 'none'}. The columns: {columns}.",
    )


def make_baseline(connection: duckdb.DuckDBPyConnection, index: StoreIndex, baseline: str) -> Scope:
    """Make the table `base` of the turns of another run or profile of the store, or of another store.

    Raises:
        UsageError: there is no such run, profile or folder.
        StoreError: that store cannot be used.
    """
    if (run := _completed_run(index, baseline)) is not None:
        scope = _of_run(index, run)
    elif baseline in {config["profile"] for config in index.configurations}:
        scope = _of_profile(index, baseline)
    elif is_remote(folder := place(baseline)) or folder.is_dir():
        other = Store.open(folder)
        scope = replace(_of_profile(open_index(other), None), name=f"the store {other.root.name}")
        query = f"SELECT {_COMPARED} FROM outcomes WHERE {scope.where()}"
        with connect(other, query) as elsewhere:
            turns = elsewhere.sql(query).to_arrow_table()
        connection.register("turns_elsewhere", turns)
        connection.execute("CREATE TEMP TABLE base AS FROM turns_elsewhere")
        connection.unregister("turns_elsewhere")
        return scope
    else:
        raise UsageError(
            f"--baseline {baseline} is neither a completed run nor a profile of the store, nor a "
            "folder with a store.",
            "The runs and profiles: q2 status",
        )
    connection.execute(
        f"CREATE TEMP TABLE base AS SELECT {_COMPARED} FROM outcomes WHERE {scope.where()}"
    )
    return scope
