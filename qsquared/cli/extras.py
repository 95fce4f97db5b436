"""Check that an optional library is installed before a command uses it."""

from importlib import import_module

from qsquared.errors import Q2Error


def require(command: str, extra: str, *libraries: str) -> None:
    """Import the libraries of an extra that a command needs.

    Raises:
        Q2Error: one is not installed; the hint says how it is.
    """
    for library in libraries:
        try:
            import_module(library)
        except ImportError as error:
            raise Q2Error(
                f"q2 {command} needs the package {error.name}, which is not installed.",
                f"Install what it needs with: pip install -e '.[{extra}]'",
            ) from error
