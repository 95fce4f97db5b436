"""``q2 score``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.options import (
    DEFAULT_STORE,
    FormatOption,
    MapFileOption,
    MapOption,
    ProfileOption,
    ProfilesOption,
    StoreOption,
    app,
)


@app.command(
    epilog="Examples:  q2 score logs/2026-11-16.jsonl   ·   q2 score 'logs/*.csv.gz' --map answer=response "
    "--map context=knowledge --out scores.parquet   ·   q2 score logs/ --limit 100 --dry-run"
)
def score(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOGS…",
            help="JSON, CSV, TSV, Parquet or Arrow files (also .gz, .zst), folders, or patterns.",
        ),
    ],
    store: StoreOption = DEFAULT_STORE,
    profile: ProfileOption = "compact",
    profiles: ProfilesOption = None,
    mapping: MapOption = None,
    map_file: MapFileOption = None,
    file_format: FormatOption = "",
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
        list[str] | None,
        typer.Option(metavar="NAME", help="What to score by, q2 if nothing is said; repeat."),
    ] = None,
    variant: Annotated[
        str, typer.Option(metavar="single|multi", help="First valid question of a span, or all.")
    ] = "single",
    keep_personal: Annotated[
        bool, typer.Option("--keep-personal", help="Ask personal questions too.")
    ] = False,
    questions_per_span: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Ask the N best questions of a span.")
    ] = None,
    fallback_premise: Annotated[
        str,
        typer.Option(metavar="knowledge|response", help="Premise of the end-to-end NLI fallback."),
    ] = "knowledge",
    glue_range: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Range of the indicators, as `q2 glue fit` wrote it."),
    ] = None,
    runner: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where shards are scored: threads (here), dask, ray, dask:4, or dask:ADDRESS.",
        ),
    ] = "threads",
) -> None:
    """Score the replies of chatbot logs; what is already scored is reused.

    Fields of a turn: id, conversation_id, turn, timestamp, history, knowledge, response; anything
    else is kept as metadata.
    """
    from qsquared.cli.score import ScoreCommand, run_score
    from qsquared.storage.outputs.glue_ranges import read_range

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
                "questions_per_span": questions_per_span,
                "glue_range": None if glue_range is None else read_range(glue_range),
            },
            device=device,
            retry_errors=retry_errors,
            debug="--debug" in sys.argv,
            metrics=tuple(dict.fromkeys(metric or ["q2"])),
            map_file=map_file,
            file_format=file_format,
            runner=runner,
        ),
        dry_run=dry_run,
    )
