"""Errors of a full disk or of too little memory, with the command that continues."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qsquared.errors import NoMemoryError, NoSpaceError


@contextmanager
def shortage_explained(store: Path, out: Path | None = None) -> Iterator[None]:
    """Turn a shortage within into an error that names the command to run again.

    Args:
        store: the store that the command writes to.
        out: the other file that it writes, if any.

    Raises:
        NoMemoryError: memory ran out.
        NoSpaceError: a disk is full.
    """
    try:
        yield
    except Exception as error:
        shortage = _shortage(error, [store] if out is None else [store, out.parent])
        if shortage is None:
            raise
        shortage.hint = f"{shortage.hint} The command: {shlex.join(['q2', *sys.argv[1:]])}"
        raise shortage from error


def _shortage(error: Exception, folders: list[Path]) -> NoMemoryError | NoSpaceError | None:
    from qsquared.language.running.memory import is_out_of_memory
    from qsquared.storage.files.space import causes, fullest, no_space

    raised = list(causes(error))
    for cause in raised:
        if isinstance(cause, NoMemoryError | NoSpaceError):
            return cause
    full = no_space(error, fullest(folders))
    if full is not None:
        return full
    exhausted = next((cause for cause in raised if is_out_of_memory(cause)), None)
    if exhausted is None:
        return None
    said = str(exhausted).strip().split("\n")[0]
    return NoMemoryError(
        f"Memory ran out{': ' if said else ''}{said}.",
        "Close other programs, or use a machine with more memory, and run the same command again: "
        "it goes on where it stopped.",
    )
