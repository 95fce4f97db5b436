"""Write scores and explanations for another program: ``q2 export``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from qsquared.cli.help_pages import examples
from qsquared.cli.options import DEFAULT_STORE, ProfileOption, StoreOption, app, file_to_write
from qsquared.errors import UsageError
from qsquared.text import count

_VIEWS = "turns scores sentences sentence_scores spans evidence"


@app.command(
    epilog=examples(
        "q2 export --to csv --out scores.csv",
        "q2 export --to otel --out events.jsonl",
        "q2 export --to phoenix --out evaluations.parquet",
    )
)
def export(
    to: Annotated[
        str, typer.Option("--to", metavar="otel|phoenix|langfuse|csv|parquet|jsonl", help="Form.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="FILE",
            parser=file_to_write,
            help="File to write; a missing folder is made.",
        ),
    ],
    store: StoreOption = DEFAULT_STORE,
    profile: ProfileOption = "compact",
    calibration: Annotated[
        str, typer.Option(metavar="NAME", help="Add the probabilities of a calibration.")
    ] = "",
) -> None:
    """Write scores and explanations of all turns for another program."""
    from qsquared.storage.labels.calibrations import find_calibration
    from qsquared.storage.outputs.explanations import all_explained
    from qsquared.storage.outputs.exports.write import check_target, write_export
    from qsquared.storage.records.written import note_written
    from qsquared.storage.sql.catalogue import connect
    from qsquared.storage.store import Store

    console = Console()
    target = check_target(to, out)
    opened = Store.open(store)
    if calibration:
        find_calibration(opened, calibration, profile)
    views = f"{_VIEWS} calibrated" if calibration else _VIEWS
    with (
        connect(opened, views) as connection,
        console.status("writing") as status,
    ):
        written = write_export(
            all_explained(connection, profile, calibration=calibration or None),
            profile,
            target,
            out,
            lambda turns: status.update(f"writing, {count(turns, 'turn')} done"),
        )
    note_written(opened, out)
    if written.left_out:
        turns = count(written.left_out, "turn")
        console.print(Text(f"{turns} left out, for want of {target.needs}", "yellow"))
    console.print(Text(f"{out} ({count(written.rows, 'row')}): {target.meaning}"))
    if written.left_out and not written.rows:
        raise UsageError(
            f"No turn of the store has {target.needs}.",
            "Ingest the traces themselves (q2 ingest --preview shows what is read), or use --to csv.",
        )
