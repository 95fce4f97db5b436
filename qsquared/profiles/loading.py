"""Read profiles from TOML files and check them."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from qsquared.errors import UsageError
from qsquared.profiles.endpoints import ENDPOINT, KINDS_OF_ROLE, completed_roles
from qsquared.profiles.profile import Profile
from qsquared.toml_files import read_toml

Tables = dict[str, Any]


def get_profile(name: str, extra: Path | None = None) -> Profile:
    """Return the profile of that name, of the package or of the file ``extra``.

    Raises:
        UsageError: there is none, or ``extra`` is not valid.
    """
    profiles = load_profiles(extra)
    if name not in profiles:
        raise UsageError(f"There is no profile {name!r}.", f"Profiles: {', '.join(profiles)}.")
    return profiles[name]


def load_profiles(extra: Path | None = None) -> dict[str, Profile]:
    """Return the profiles of the package and those of ``extra``, by name.

    A local checkpoint that begins with a dot is relative to the folder of its TOML file.

    Raises:
        UsageError: ``extra`` cannot be read, holds an invalid profile, or one named as a shipped one.
    """
    shipped = tomllib.loads(
        files("qsquared.profiles").joinpath("profiles.toml").read_text(encoding="utf-8")
    )
    profiles = _profiles(shipped, "profiles.toml", Path(), {})
    if extra is not None:
        added = _profiles(read_toml("The profiles", extra), str(extra), extra.parent, shipped)
        if taken := sorted(added.keys() & profiles.keys()):
            raise UsageError(
                f"{extra} defines {', '.join(taken)}, which the package defines already.",
                "Give it another name, so that a name always means the same models.",
            )
        profiles |= added
    return profiles


def _profiles(tables: Tables, file: str, folder: Path, known: Tables) -> dict[str, Profile]:
    """Return the profiles of a file; ``known`` are tables outside of it that one may be like."""
    return {
        name: _profile(name, _completed(name, table, known | tables, file), file, folder)
        for name, table in tables.items()
    }


def _completed(name: str, table: Any, known: Tables, file: str) -> Any:
    """Fill the table of a profile from the one that it is ``like``, which has no `like` itself.

    Raises:
        UsageError: the other is unknown, or is like another one itself.
    """
    if not isinstance(table, dict) or "like" not in table:
        return table
    model = known.get(table["like"]) if isinstance(table["like"], str) else None
    if not isinstance(model, dict) or "like" in model:
        whole = [key for key, value in known.items() if "like" not in value]
        raise UsageError(
            f"{file} says that {name} is like {table['like']!r}, which is no profile that stands "
            "for itself.",
            f"Name one of: {', '.join(whole)}",
        )
    filled = dict(model)
    for key, value in table.items():
        if key != "like":
            both = isinstance(value, dict) and isinstance(model.get(key), dict)
            # A server that plays a role has nothing of the model that it takes the place of.
            both = both and value.get("source") == model[key].get("source")
            filled[key] = {**model[key], **value} if both else value
    return filled


def _profile(name: str, table: Any, file: str, folder: Path) -> Profile:
    if not isinstance(table, dict):
        raise UsageError(f"{file} has {name!r} outside a profile.", "Begin with [<name>].")
    roles = {key: _resolved(value, folder) for key, value in completed_roles(table).items()}
    try:
        return Profile(**{**roles, "name": name})
    except ValidationError as error:
        first = error.errors()[0]
        loc = [part for part in first["loc"] if part not in KINDS_OF_ROLE]
        field = ".".join(str(part) for part in (name, *loc))
        raise UsageError(
            f"{file} is not valid at {field}: {first['msg']}.",
            "See the comments at the head of qsquared/profiles/profiles.toml for what may stand there.",
        ) from error


def _resolved(value: Any, folder: Path) -> Any:
    """Return the value with its local checkpoints as absolute paths."""
    if not isinstance(value, dict):
        return value
    resolved = {key: _resolved(inner, folder) for key, inner in value.items()}
    checkpoint = value.get("checkpoint")
    if isinstance(checkpoint, str) and checkpoint.startswith("."):
        resolved["checkpoint"] = str((folder / checkpoint).resolve())
    if value.get("source") == ENDPOINT and isinstance(value.get("prompts"), list):
        resolved["prompts"] = [str((folder / str(path)).resolve()) for path in value["prompts"]]
    return resolved
