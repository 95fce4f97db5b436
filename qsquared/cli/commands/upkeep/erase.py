"""Take turns out of a store for good: ``q2 erase``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from qsquared.cli.commands.app import app
from qsquared.cli.options import DEFAULT_STORE, StoreOption, open_store
from qsquared.cli.terminal.sentences import say
from qsquared.errors import UsageError
from qsquared.text import count

if TYPE_CHECKING:
    from collections.abc import Iterable


@app.command()
def erase(
    store: StoreOption = DEFAULT_STORE,
    log: list[str] | None = None,
    turn: Annotated[list[str] | None, typer.Option("--id")] = None,
    conversation: list[str] | None = None,
    where: str = "",
    older_than: str = "",
    yes: bool = False,
) -> None:
    """Erase turns, with all that was made of them, from every table, label, record and leftover.

    What other turns share stays.
    Logs, and reports, exports and forms outside the store, are left as they are; those that may hold
    what is erased are named.

    Args:
        log (PATH): All rows of this log, and replaced contents of logs; repeat.
        turn (ID): The turn of this id; repeat.
        conversation (ID): All turns of this one; repeat.
        where (SQL): Turns that fulfil a condition, such as "metadata->>'user' = 'u17'".
        older_than (DAYS): Turns given longer ago than so many days, as 90d.
        yes: Erase them; else they are counted.

    Note:
        Without --yes nothing is changed. Killed at any moment, q2 erase --yes goes on.

    Examples:
        q2 erase --conversation c1234
        q2 erase --log logs/wrong.jsonl --yes
        q2 erase --older-than 90d --yes
        q2 verify --absent words.txt
    """
    from qsquared.storage.erasing.choosing import ErasureRequest, choose, days_of, files_outside
    from qsquared.storage.erasing.erase import erase as erase_rows
    from qsquared.storage.logs.paths import log_is_there
    from qsquared.storage.records.runs import unfinished_erasures
    from qsquared.storage.upkeep.retention import unknown_files

    opened = open_store(store)
    request = ErasureRequest(
        tuple(log or ()), tuple(turn or ()), tuple(conversation or ()), where, days_of(older_than)
    )
    unfinished = unfinished_erasures(opened)
    if not request.kinds and not unfinished:
        raise UsageError(
            "Nothing to erase is named.",
            "Give --log, --id, --conversation, --where or --older-than.",
        )
    if yes and unfinished:
        say("An erasure that was interrupted is finished first.")
    chosen = choose(opened, request)
    say(*(f"{turns:>8,}  {source}" for source, turns in chosen.sources.items()))
    erased = (
        f"{count(chosen.number, 'turn')}, {count(sum(map(len, chosen.rejects.values())), 'reject')} "
        f"and {count(chosen.pairs, 'distinct pair')} that no other turn gave"
    )
    for path in unknown_files(opened):
        say(f"not the store's, so left as it is: {path}", style="yellow")
    if not yes:
        if unfinished:
            say("An erasure was interrupted; --yes finishes it.", style="yellow")
        nothing = not (chosen.number or any(chosen.rejects.values()) or chosen.whole or unfinished)
        _name_outside(map(str, files_outside(opened, chosen)))
        todo = "Nothing fits." if nothing else "To do it: add --yes"
        say(f"Would erase {erased}. {todo}")
        return
    for named in filter(log_is_there, request.logs):
        say(f"{named} is still there: scored again, it comes back.", style="yellow")
    record = erase_rows(opened, chosen, request.kinds)
    say(f"Erased {erased}.")
    _name_outside(record["outside"] if record else ())


def _name_outside(files: Iterable[str]) -> None:
    """Name the reports, exports and forms that hold what is erased."""
    for path in files:
        text = f"{path} was written from the store and may hold them: make it anew, or delete it."
        say(text, style="yellow")
