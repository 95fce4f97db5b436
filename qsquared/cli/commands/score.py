"""Score the replies of chatbot logs: ``q2 score``."""

import errno
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from qsquared.cli.help_pages import app
from qsquared.cli.log_surveys import Surveyed, show_surveyed, show_unnamed, survey_logs
from qsquared.cli.options import (
    DEFAULT_STORE,
    DeviceOption,
    LogReading,
    ProfileOption,
    ProfilesOption,
    StoreOption,
    YesOption,
    of_run,
    reads_logs,
)
from qsquared.cli.terminal.printing import say
from qsquared.display import count
from qsquared.errors import DeniedLogError, InputError, ModelError, UsageError
from qsquared.tasks.jobs.options import ScoreOptions

_LOWEST_SHOWN = 5


@app.command()
@reads_logs
def score(
    reading: LogReading,
    store: StoreOption = DEFAULT_STORE,
    profile: ProfileOption = "compact",
    profiles: ProfilesOption = None,
    limit: Annotated[int | None, of_run("limit", "N", min=1)] = None,
    out: Path | None = None,
    dry_run: bool = False,
    device: DeviceOption = "cpu",
    precision: Annotated[str, of_run("precision", "NAME")] = "",
    retry_errors: Annotated[bool, of_run("retry_errors")] = False,
    metric: Annotated[
        list[str] | None, of_run("metrics", "NAME", "--metric", hint="Repeat for several.")
    ] = None,
    settings: Annotated[list[str] | None, typer.Option("--set")] = None,
    as_published: bool = False,
    yes: YesOption = False,
    max_requests: Annotated[int, of_run("max_requests", "N", min=0)] = 0,
    max_cost: Annotated[float, of_run("max_cost", "PRICE", min=0)] = 0.0,
) -> None:
    """Score the replies of chatbot logs; what is already scored is reused.

    Fields of a turn: id, conversation_id, turn, timestamp, history, knowledge, response; anything
    else is kept as metadata.

    Args:
        out (FILE): One row a turn, as .parquet, .csv or .jsonl.
        dry_run: Say what would be read and scored, and stop.
        settings (NAME=VALUE): Another parameter of the metrics, such as variant=multi, by_value=null or
            leave_out_personal=false. Repeatable.
        as_published: Follow the papers' rules: leave out by_value, clauses, knowledge_words, nli_by,
            questions_per_sentence, response_characters, second_look, second_person, sentences and
            verbatim.
            This stays, as it has no switch: equal spans and equal questions of a span count once;
            an answer may leave out the € or £ of its span; beyond 4,000 characters a reply is read
            around the span; the readers' search, windows and longest answer. See docs/papers.

    Examples:
        q2 score logs/2026-11-16.jsonl
        q2 score 'desk/*.csv.gz' --map answer=response --map context=knowledge --out scores.parquet
        q2 score logs/ --limit 100 --dry-run
    """
    from qsquared.tasks.jobs.graph import AS_PUBLISHED

    parameters = {
        **({AS_PUBLISHED: True} if as_published else {}),
        **parameters_set(settings or ()),
    }
    options = ScoreOptions(
        logs=reading.logs,
        store=str(store.absolute()),
        profile=profile,
        profiles=str(profiles.absolute()) if profiles else "",
        metrics=tuple(dict.fromkeys(metric or ["q2"])),
        parameters=json.dumps(parameters, sort_keys=True),
        device=device,
        precision=precision,
        limit=limit,
        retry_errors=retry_errors,
        yes=yes,
        max_requests=max_requests,
        max_cost=max_cost,
    )
    check_options(options, parameters)
    if out is not None:
        check_output(out, reading.logs, writes=not dry_run)
    fields, file_format = reading.stated(store)
    options = replace(options, mapping=fields, file_format=file_format)
    (_show_dry_run if dry_run else _score)(options, out)


def _score(options: ScoreOptions, out: Path | None) -> None:
    from qsquared.cli.terminal.progress import watched
    from qsquared.cli.terminal.summary import show_summary
    from qsquared.flows.local import run_here
    from qsquared.storage.outputs.results import export, lowest
    from qsquared.storage.outputs.selected_turns import Selection
    from qsquared.storage.records.indexes.store_index import open_index
    from qsquared.storage.sql.views import outdated_scores
    from qsquared.tasks.metrics import Q2
    from qsquared.tasks.running.stage_runner import open_job

    options, surveyed = _survey(options, out)
    began = time.monotonic()
    with watched():
        summary = run_here(options)
    runner = open_job(options.job)
    measured = runner.paths.measured(summary["shard_keys"])
    selection = Selection(tuple(summary["selection"]["inputs"]), summary["selection"]["limit"])
    summary |= {"seconds": time.monotonic() - began}
    if out is not None:
        rows = export(runner.store, selection, measured, out)
        summary |= {"exported": f"{out} ({count(rows, 'row')})"}
    worst = lowest(runner.store, selection, measured, _LOWEST_SHOWN)
    if worst:
        summary |= {"label": runner.configuration.label_of(Q2)}
    show_summary(summary, worst)
    show_unnamed(surveyed, sys.argv[1:])
    say(*outdated_scores(open_index(runner.store)), style="yellow")
    _refuse_losses(summary)
    if error := surveyed.refusal_after("scored"):
        raise error


def _survey(options: ScoreOptions, out: Path | None) -> tuple[ScoreOptions, Surveyed]:
    """Survey the logs before anything starts; return the options with those that may be read.

    The table that an earlier run wrote among them is no log.

    Raises:
        UnusableLogError: there is none.
    """
    from qsquared.storage.logs.paths import expand_inputs

    named = expand_inputs(options.logs)
    paths = [path for path in named if out is None or path.resolve() != out.resolve()]
    if len(paths) < len(named):
        options = replace(options, logs=[str(path) for path in paths])
    surveyed = survey_logs(
        paths,
        options.mapping or {},
        options.file_format,
        store=options.store,
        arguments=options.logs,
    )
    show_surveyed(surveyed, options.logs)
    if surveyed.refused:
        options = replace(options, logs=[str(path) for path in surveyed.paths])
    return options, surveyed


def _show_dry_run(options: ScoreOptions, out: Path | None) -> None:
    from qsquared.cli.terminal.summary import show_dry_run
    from qsquared.flows.local import dry_run

    options, surveyed = _survey(options, out)
    plan = dry_run(options)
    show_dry_run(plan.inputs, plan.pairs, plan.new_pairs)
    say(*(error.message for error in plan.unreadable.values()))
    if refusal := surveyed.refusal_after("read"):
        raise refusal
    for error in plan.unreadable.values():
        if isinstance(error, DeniedLogError):
            raise error


def _refuse_losses(summary: Mapping[str, Any]) -> None:
    """Raise an error where a log, or every turn, was lost."""
    if summary["turns"] == 0 and summary["rejects"]:
        raise InputError(
            "Not one row could be read as a turn; the first reject says: "
            + summary["first_reject"],
            "Name the fields with --map theirs=ours; q2 score --dry-run shows what would be read.",
        )
    if summary["turns"] and summary["statuses"].get("error") == summary["turns"]:
        raise ModelError(
            "The models failed on every turn: " + summary["unscored"][0]["reason"],
            "Check them with: q2 models verify; then score again with --retry-errors",
        )
    if summary["unreadable"]:
        first = summary["unreadable"][0]
        raise (DeniedLogError if first["denied"] else InputError)(
            f"{count(len(summary['unreadable']), 'log')} could not be read, all others are scored. "
            + first["reason"],
            first["hint"],
        )


def parameters_set(settings: Sequence[str]) -> dict[str, Any]:
    """Return the parameters that ``--set`` gives; a value that is no JSON is a text."""
    parameters: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"--set {setting} is not of the form NAME=VALUE.", "Name a parameter.")
        try:
            parameters[name] = json.loads(value)
        except ValueError:
            parameters[name] = value
    return parameters


def check_options(options: ScoreOptions, parameters: Mapping[str, Any]) -> None:
    """Refuse options that make no sense before any work is done."""
    from qsquared.language.engines.devices import check_device
    from qsquared.tasks.jobs.graph import AS_PUBLISHED, graph

    check_device(options.device)
    asked = graph(options.metrics)
    if AS_PUBLISHED in parameters and not asked.published:
        raise UsageError(
            f"--as-published means nothing to the metrics {', '.join(options.metrics)}.",
            "Leave it out.",
        )
    asked.refuse_unread(parameters)


def check_output(out: Path, logs: list[str], writes: bool) -> None:
    """Refuse an output file of unknown form, or one of the logs, or one that cannot be written."""
    from qsquared.storage.files.atomic import cannot_write
    from qsquared.storage.outputs.results import check_form

    check_form(out)
    if out.resolve() in {Path(log).resolve() for log in logs}:
        raise UsageError(
            f"--out {out} is one of the logs and would be overwritten.",
            "Give the table another name.",
        )
    if not writes:
        return
    try:
        # Better now than after hours of scoring.
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out.parent):
            pass
        if out.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
    except OSError as error:
        raise cannot_write(f"file {out}", error) from error
