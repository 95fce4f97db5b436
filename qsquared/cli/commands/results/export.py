"""Write scores and explanations as a table: ``q2 export``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from qsquared.cli.commands.app import app
from qsquared.cli.options import (
    DEFAULT_STORE,
    ProfileOption,
    StoreOption,
    file_to_write,
    open_store,
)
from qsquared.cli.terminal.sentences import say
from qsquared.text import count

_VIEWS = "turns scores sentences sentence_scores sentence_entailment spans evidence"


@app.command()
def export(
    out: Annotated[Path, typer.Option(parser=file_to_write)],
    store: StoreOption = DEFAULT_STORE,
    profile: ProfileOption = "compact",
) -> None:
    """Write the scores and explanations of all turns as a table.

    Args:
        out (FILE): File to write: .csv, .parquet or .jsonl; a missing folder is made.

    Example:
        q2 export --out scores.csv
    """
    from qsquared.storage.outputs.explanations import all_explained
    from qsquared.storage.outputs.exports import check_form, write_export
    from qsquared.storage.records.runs import note_written
    from qsquared.storage.sql.catalogue import connect

    check_form(out)
    opened = open_store(store)
    with connect(opened, _VIEWS) as connection, Console().status("writing") as status:
        rows = write_export(
            all_explained(connection, profile),
            profile,
            out,
            lambda turns: status.update(f"writing, {count(turns, 'turn')} done"),
        )
    note_written(opened, out)
    say(f"{out} ({count(rows, 'row')}): a row a turn")
