"""Profiles that are like another one: what they do not say, the other says for them."""

from __future__ import annotations

from typing import Any

from qsquared.errors import UsageError

Tables = dict[str, Any]


def completed(name: str, table: Any, known: Tables, where: str) -> Any:
    """The table of a profile with what it leaves to the one that it is ``like``, which has no such.

    Args:
        name: of the profile.
        table: what its file says of it.
        known: the tables that it may be like, by name.
        where: the file, for errors.

    Raises:
        UsageError: the other is unknown, or is like another one itself.
    """
    if not isinstance(table, dict) or "like" not in table:
        return table
    model = known.get(table["like"]) if isinstance(table["like"], str) else None
    if not isinstance(model, dict) or "like" in model:
        whole = [key for key, value in known.items() if "like" not in value]
        raise UsageError(
            f"{where} says that {name} is like {table['like']!r}, which is no profile that stands "
            "for itself.",
            f"Name one of: {', '.join(whole)}",
        )
    made = dict(model)
    for key, value in table.items():
        if key != "like":
            both = isinstance(value, dict) and isinstance(model.get(key), dict)
            made[key] = {**model[key], **value} if both else value
    return made
