"""TOML files that a person writes."""

import tomllib
from pathlib import Path
from typing import Any

from qsquared.errors import UsageError, cannot_read


def read_toml(named: str, path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file; ``named`` says in a sentence what it holds, as ``The gates``.

    Raises:
        UsageError: it cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}.", "Correct the line.") from error
    except (OSError, UnicodeDecodeError) as error:
        problem = cannot_read(f"{named} in {path}", path, error)
        raise UsageError(problem, "Check the path.") from error
