"""The typer application, and the options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qsquared.storage.files.places import place

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
    Path,
    typer.Option(
        "--store", metavar="DIR", parser=place, help="Folder of the Parquet store, or s3://… URL."
    ),
]
ProfileOption = Annotated[
    str, typer.Option("--profile", metavar="NAME", help="Set of models; see `q2 models list`.")
]
ProfilesOption = Annotated[
    Path | None,
    typer.Option("--profiles", metavar="FILE", help="TOML file with profiles of your own."),
]
MapOption = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="THEIRS=OURS", help="Read our field from theirs; repeat."),
]
MapFileOption = Annotated[
    Path | None,
    typer.Option(
        "--map-file", metavar="FILE", help="TOML file with a table `fields`, and a `format`."
    ),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Read the logs as flat, openai, otel, openinference, langfuse, langsmith or wizard, "
        "or as jsonl, json, csv, tsv, parquet or arrow, whatever they look like.",
    ),
]
DEFAULT_STORE = Path("q2-store")
