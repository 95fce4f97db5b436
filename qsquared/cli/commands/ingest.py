"""``q2 ingest``."""

from __future__ import annotations

from typing import Annotated

import typer

from qsquared.cli.options import (
    DEFAULT_STORE,
    FormatOption,
    MapFileOption,
    MapOption,
    StoreOption,
    app,
)


@app.command(
    epilog="Examples:  q2 ingest traces.jsonl --preview   ·   q2 ingest export/ --map "
    "output.answer=response --preview   ·   q2 ingest chat.jsonl --format openai --map system=knowledge"
)
def ingest(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOGS…",
            help="JSON, CSV, TSV, Parquet or Arrow files (also .gz, .zst), folders, or patterns.",
        ),
    ],
    store: StoreOption = DEFAULT_STORE,
    mapping: MapOption = None,
    map_file: MapFileOption = None,
    file_format: FormatOption = "",
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Read the first N turns only; of a preview: the first N rows."
        ),
    ] = None,
    preview: Annotated[
        bool,
        typer.Option(
            "--preview", help="Show how each log would be read, with five turns; write nothing."
        ),
    ] = False,
) -> None:
    """Read chatbot logs into the store, without scoring them; or show what would be read."""
    from qsquared.cli.ingest import IngestCommand, run_ingest, run_preview

    run = run_preview if preview else run_ingest
    run(IngestCommand(store, tuple(logs), tuple(mapping or ()), map_file, file_format, limit))
