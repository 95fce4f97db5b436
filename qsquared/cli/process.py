"""The process of the command `q2`: few searches for garbage, and an end at once.

When a command is done, Python would take apart the tens of thousands of objects of its libraries,
which takes half a second to a second before the shell's prompt.
The kernel takes the memory back anyway; so all threads and exit functions are waited for, and then
the process ends.
"""

import atexit
import errno
import gc
import os
import sys

_YOUNG_OBJECTS = 50_000
"""New objects after which Python searches for garbage among them; imports make many, and no garbage."""

_UNWRITTEN = 120
"""Python's own code for output that could not be written at the end."""
_NO_SPACE = 74
"""Exit code of a full disk, that of `NoSpaceError`; nothing is imported at the end."""


class _Ended:
    """The exit code; that of an error that nobody caught until the command has ended."""

    code: int = 1


def _leave() -> None:
    code = _Ended.code
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, ValueError):
            pass  # there is none, or it is closed
        except OSError as error:
            if not code:
                code = _NO_SPACE if error.errno == errno.ENOSPC else _UNWRITTEN
                os.write(2, f"q2: the output could not be written: {error.strerror}\n".encode())
    os._exit(code)


def main() -> None:
    """Run the command line in a process of its own, which ends with it."""
    # Before the libraries are imported, hence called after their exit functions.
    atexit.register(_leave)
    gc.set_threshold(_YOUNG_OBJECTS)
    from qsquared.cli.main import main as run

    try:
        run()
    except SystemExit as ended:
        _Ended.code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
        raise
    _Ended.code = 0
