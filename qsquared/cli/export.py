"""The command ``q2 export``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from qsquared.cli.shortage import telling_shortage
from qsquared.cli.text import count
from qsquared.errors import UsageError
from qsquared.storage.outputs.explanations import all_explained
from qsquared.storage.outputs.exports.write import check_target, write_export
from qsquared.storage.sql.catalogue import connect
from qsquared.storage.store import Store

_VIEWS = "turns scores spans evidence"


@dataclass(frozen=True, slots=True)
class ExportCommand:
    """The arguments of ``q2 export``."""

    store: Path
    to: str
    out: Path
    profile: str


@telling_shortage
def run_export(command: ExportCommand) -> None:
    """Write the turns of a store with their scores and explanations.

    Raises:
        UsageError: there is no such target, or nothing that it could take.
        StoreError: there is no store.
    """
    out, profile = command.out, command.profile
    target = check_target(command.to, out)
    console = Console()
    with (
        connect(Store.open(command.store), _VIEWS) as connection,
        console.status("writing") as status,
    ):
        written = write_export(
            all_explained(connection, profile),
            profile,
            target,
            out,
            lambda turns: status.update(f"writing, {count(turns, 'turn')} done"),
        )
    if written.left_out:
        told = f"{count(written.left_out, 'turn')} left out, for want of {target.needs}"
        console.print(Text(told, "yellow"))
    console.print(Text(f"{out} ({count(written.rows, 'row')}): {target.meaning}"))
    if written.left_out and not written.rows:
        raise UsageError(
            f"No turn of the store has {target.needs}.",
            "Ingest the traces themselves (q2 ingest --preview shows what is read), or use --to csv.",
        )
