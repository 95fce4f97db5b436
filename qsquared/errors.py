"""Errors with a message, a hint and an exit code for the person who runs the program."""

from pathlib import Path
from typing import Any


class Q2Error(Exception):
    """An error that the person who runs the program can act upon.

    ``message`` says what happened and where (file, row, stage); ``hint`` says what to do next.
    The command line prints both without a traceback and exits with ``exit_code``.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors come from other processes, too, and a class may ask for other arguments.
        return _restored, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


def _restored(kind: type[Q2Error], args: tuple[Any, ...], fields: dict[str, Any]) -> Q2Error:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message; the name of its class if it has no message."""
    return str(error).strip().split("\n")[0] or type(error).__name__


def cannot_read(named: str, path: Path, error: Exception) -> str:
    """Return the sentence that a file cannot be read, with the system's reason and no code.

    Args:
        named: the file as the sentence names it, as in ``The mapping map.toml``.
        path: its path, which is all that is said of a file that is not there.
        error: the error of the attempt.
    """
    if isinstance(error, FileNotFoundError):
        return f"There is no file {path}."
    if isinstance(error, UnicodeDecodeError):
        return f"{named} cannot be read: it is no text in UTF-8."
    reason = error.strerror if isinstance(error, OSError) else ""
    return f"{named} cannot be read: {reason or error}."


class UsageError(Q2Error):
    """The command or its arguments cannot be carried out as given."""

    exit_code = 2


class InputError(Q2Error):
    """A log as a whole cannot be read (a single bad row is a reject, never an error)."""


class DeniedLogError(InputError):
    """This user may not read a log or a folder of logs."""

    exit_code = 77


class UnusableLogError(InputError):
    """A log can be read, and holds no turn or no turn with knowledge as it is read."""

    exit_code = 65


class StoreError(Q2Error):
    """The store on disk is missing, of another version, or damaged beyond recomputing."""


class DeniedStoreError(StoreError):
    """This user may not read a file of a store."""

    exit_code = 77


class UnreachableError(StoreError):
    """A store behind a URL does not answer or refuses; nothing is known of its content."""

    exit_code = 69


class ModelError(Q2Error):
    """A model cannot be found, fetched, verified or loaded."""


class NoSpaceError(Q2Error):
    """A file could not be written for lack of room; finished work stays."""

    exit_code = 74


class NoMemoryError(Q2Error):
    """Memory ran out, however small the batch; finished work stays."""

    exit_code = 75


class DeniedError(Q2Error):
    """This user may not use a file or folder; nothing was changed there."""

    exit_code = 77


class LimitError(Q2Error):
    """A query took more time or memory than it was given; nothing has changed."""

    exit_code = 124


class GateError(Q2Error):
    """A gate is broken: the scores are sound, and not good enough."""

    exit_code = 3


class UnjudgedError(Q2Error):
    """An upgrade left a gate without comparable scores, so that it could not judge."""

    exit_code = 4


class EndpointError(Q2Error):
    """A server that plays a role cannot be asked, which concerns every request; answers are kept."""


class UnansweredError(EndpointError):
    """A server that plays a role was away for longer than the profile lets it; answers are kept."""

    exit_code = 69


class BudgetError(EndpointError):
    """A run has asked for as much as it may; answers are kept."""

    exit_code = 75
