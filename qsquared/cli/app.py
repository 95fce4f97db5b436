"""Entry point: commands, their options, and how errors are told."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from qsquared import __version__
from qsquared.cli.text import visible
from qsquared.cli.warnings import telling_warnings
from qsquared.errors import Q2Error
from qsquared.flows.stopping import ending_cleanly, stop_if_asked, stopping

# Each command imports what it needs when it runs, so that --help is quick.
app = typer.Typer(
    name="q2",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="""Does a chatbot's reply say only what its knowledge supports?

Q² asks questions about each reply, answers them on the reply and on the knowledge, and compares
the answers: 1 is fully supported, 0 not at all.

    q2 score logs/ --out scores.csv      score a folder of logs

    q2 explain 1117-004                  why a reply got its score

    q2 sql "FROM scores LIMIT 5"         ask the store anything
""",
)
models_app = typer.Typer(no_args_is_help=True, help="The models that profiles name.")
app.add_typer(models_app, name="models")

StoreOption = Annotated[
    Path, typer.Option("--store", metavar="DIR", help="Folder of the Parquet store.")
]
ProfileOption = Annotated[
    str, typer.Option("--profile", metavar="NAME", help="Set of models; see `q2 models list`.")
]
ProfilesOption = Annotated[
    Path | None,
    typer.Option("--profiles", metavar="FILE", help="TOML file with profiles of your own."),
]
DEFAULT_STORE = Path("q2-store")
_INTERRUPTED = 130
_TERMINATED = 143


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"q2 {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    _debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; goes anywhere.")
    ] = False,
) -> None:
    pass


@app.command(
    epilog="Examples:  q2 score logs/2026-11-16.jsonl   ·   q2 score 'logs/*.csv.gz' --map answer=response "
    "--map context=knowledge --out scores.parquet   ·   q2 score logs/ --limit 100 --dry-run"
)
def score(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOGS…",
            help="JSONL, CSV, TSV or Parquet files (also .gz, .zst), folders, or patterns.",
        ),
    ],
    store: StoreOption = DEFAULT_STORE,
    profile: ProfileOption = "compact",
    profiles: ProfilesOption = None,
    mapping: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="THEIRS=OURS", help="Read our field from theirs; repeat."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Score the first N turns only.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="One row a turn, as .parquet, .csv or .jsonl."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be read and scored, and stop.")
    ] = False,
    device: Annotated[
        str, typer.Option(metavar="NAME", help="Where the models run: cpu, cuda, cuda:1, mps.")
    ] = "cpu",
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Try again where a model failed.")
    ] = False,
    metric: Annotated[
        str,
        typer.Option(
            metavar="q2|blend", help="Q² alone, or with NLI and overlap of the whole reply."
        ),
    ] = "q2",
    variant: Annotated[
        str, typer.Option(metavar="single|multi", help="First valid question of a span, or all.")
    ] = "single",
    keep_personal: Annotated[
        bool, typer.Option("--keep-personal", help="Ask personal questions too.")
    ] = False,
    fallback_premise: Annotated[
        str,
        typer.Option(metavar="knowledge|response", help="Premise of the end-to-end NLI fallback."),
    ] = "knowledge",
) -> None:
    """Score the replies of chatbot logs; what is already scored is reused.

    Fields of a turn: id, conversation_id, turn, timestamp, history, knowledge, response; anything
    else is kept as metadata.
    """
    from qsquared.cli.score import ScoreCommand, run_score

    run_score(
        ScoreCommand(
            logs=tuple(logs),
            store=store,
            profile=profile,
            profiles=profiles,
            mapping=tuple(mapping or ()),
            limit=limit,
            out=out,
            parameters={
                "variant": variant,
                "leave_out_personal": not keep_personal,
                "fallback_premise": fallback_premise,
            },
            device=device,
            retry_errors=retry_errors,
            debug="--debug" in sys.argv,
            metric=metric,
        ),
        dry_run=dry_run,
    )


@app.command(epilog="Example:  q2 explain 1117-004")
def explain(
    turn: Annotated[str, typer.Argument(metavar="ID", help="Id of a turn, as in the log.")],
    store: StoreOption = DEFAULT_STORE,
    profile: ProfileOption = "compact",
    everything: Annotated[
        bool, typer.Option("--all", help="Show the questions that do not count, too.")
    ] = False,
) -> None:
    """Show a reply with its spans, questions, both answers and verdicts."""
    from qsquared.cli.explain import run_explain

    run_explain(store, turn, profile, everything)


@app.command(
    epilog='Examples:  q2 sql "SHOW TABLES"   ·   q2 sql "SELECT status, avg(q2) FROM scores GROUP BY 1"   ·   '
    "q2 sql --file query.sql --csv > rows.csv"
)
def sql(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="SQL; `-` reads it from stdin.")
    ] = "",
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help="Read the query from a file.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    as_csv: Annotated[bool, typer.Option("--csv", help="Write CSV.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object a row.")] = False,
    rows: Annotated[int, typer.Option(min=1, help="Rows shown in the table.")] = 50,
    timeout: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="End the query after that time.")
    ] = 300.0,
    memory: Annotated[
        int, typer.Option(min=64, metavar="MB", help="End the query beyond that memory.")
    ] = 2048,
    raw: Annotated[
        bool, typer.Option("--raw", help="CSV without a quote before what spreadsheets would run.")
    ] = False,
) -> None:
    """Ask the store in SQL (DuckDB), read-only."""
    from qsquared.cli.sql import run_sql
    from qsquared.storage.queries import QueryLimits

    form = "csv" if as_csv else "json" if as_json else "table"
    run_sql(store, query, file, form, rows, QueryLimits(timeout, memory), raw)


@app.command()
def status(store: StoreOption = DEFAULT_STORE) -> None:
    """Show what is in the store: inputs, shards, stages of each profile, last runs."""
    from qsquared.cli.status import run_status

    run_status(store)


@app.command(
    epilog="Exit code 0: all is sound; 65: something is wrong.  Example:  q2 verify --quarantine; q2 score logs/"
)
def verify(
    store: StoreOption = DEFAULT_STORE,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
    quarantine: Annotated[
        bool,
        typer.Option(
            "--quarantine", help="Move what is wrong away, so that the next score makes it again."
        ),
    ] = False,
) -> None:
    """Check every byte, name and row of a store; say what is wrong, by file."""
    from qsquared.cli.verify import run_verify

    run_verify(store, as_json, quarantine)


@models_app.command("list")
def models_list(profiles: ProfilesOption = None) -> None:
    """List every profile's models and whether they are on this machine."""
    from qsquared.cli.models import run_list

    run_list(profiles)


@models_app.command("pull")
def models_pull(
    profile: Annotated[str, typer.Argument(metavar="PROFILE")], profiles: ProfilesOption = None
) -> None:
    """Fetch a profile's models from the hub, at their pinned revisions."""
    from qsquared.cli.models import run_pull

    run_pull(profile, profiles)


@models_app.command("verify")
def models_verify(
    profile: Annotated[str, typer.Argument(metavar="PROFILE")] = "compact",
    profiles: ProfilesOption = None,
) -> None:
    """Check a profile's files against their recorded hashes."""
    from qsquared.cli.models import run_verify

    run_verify(profile, profiles)


def _tell(error: Q2Error) -> None:
    # What is told may quote a log.
    typer.echo(f"q2: {visible(error.message)}", err=True)
    if error.hint:
        typer.echo(f"    {visible(error.hint)}", err=True)


def main() -> None:
    """Run the command line; a person's mistake gives a sentence, not a traceback."""
    with ending_cleanly(), telling_warnings():
        _main()


def _call(arguments: list[str]) -> None:
    try:
        app(args=arguments, prog_name="q2")
    except Exception:
        # What Ctrl-C may have become on its way through a library.
        stop_if_asked()
        raise


def _main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    try:
        _call(arguments)
    except Q2Error as error:
        if debug:
            raise
        _tell(error)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, SystemExit) as ended:
        # Typer makes this exit code of Ctrl-C, and says nothing.
        own = ended.code if isinstance(ended, SystemExit) else _INTERRUPTED
        code = stopping() or own
        if code not in {_INTERRUPTED, _TERMINATED}:
            raise
        typer.echo(
            f"\nInterrupted. The same command continues: {shlex.join(['q2', *arguments])}", err=True
        )
        sys.exit(code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except Exception as error:
        if debug:
            raise
        typer.echo(f"q2: unexpected {type(error).__name__}: {visible(str(error))}", err=True)
        typer.echo(
            "    This is a defect of the program; finished stages are kept. "
            f"The traceback: {shlex.join(['q2', '--debug', *arguments])}",
            err=True,
        )
        sys.exit(70)
