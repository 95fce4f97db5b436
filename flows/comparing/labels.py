"""Labels of logged replies: a list of judgements, or a field of the log."""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl

from qsquared.errors import InputError, UsageError
from qsquared.method.bootstrap import Array
from qsquared.method.rates.judgements import resolved
from qsquared.storage.labels.form_files import rows_of_form

_SUPPORTED = frozenset({"consistent", "supported", "entailed", "true", "yes", "1", "1.0"})
_UNSUPPORTED = frozenset({"inconsistent", "unsupported", "false", "no", "0", "0.0"})


def labels_of(source: str, replies: pl.DataFrame) -> Array:
    """Return 1 for each supported reply, 0 for an unsupported one, NaN for one without a label or at a tie.

    Args:
        source: a CSV with the columns `turn` (the reply's id) and `verdict`, or the name of a field of
            the log; empty for no labels.
        replies: with the columns `id` and `metadata`.

    Raises:
        InputError: the file cannot be read, or a label is no word for supported or unsupported.
        UsageError: there is neither such a file nor such a field, or no reply has a label.
    """
    if not source:
        return np.full(len(replies), np.nan)
    if Path(source).is_file():
        given = _of_file(Path(source))
        found = [given.get(name) for name in replies["id"]]
    else:
        found = [_of_field(source, row) for row in replies["metadata"]]
    if all(label is None for label in found):
        raise UsageError(
            f"--labels {source} labels none of the {len(replies):,} replies.",
            "Give a CSV with the columns turn (a reply's id) and verdict, or the name of a field of the log.",
        )
    return np.array([np.nan if label is None else label for label in found])


def _of_file(path: Path) -> dict[str, float | None]:
    verdicts: dict[str, list[str]] = defaultdict(list)
    for row in rows_of_form(path):
        if row.verdict:
            name = row.cells.get("turn", "")
            said = _is_supported(row.verdict, f"{path}, line {row.line}")
            verdicts[name].append("consistent" if said else "inconsistent")
    against = {name: resolved(given) for name, given in verdicts.items()}
    return {name: None if value == 0.5 else 1 - value for name, value in against.items()}


def _of_field(name: str, metadata: str | None) -> float | None:
    value = json.loads(metadata or "{}").get(name)
    if value is None or value == "":
        return None
    return float(_is_supported(str(value).strip().lower(), f"the field {name} of the log"))


def _is_supported(word: str, place: str) -> bool:
    if word in _SUPPORTED:
        return True
    if word in _UNSUPPORTED:
        return False
    raise InputError(
        f"The label {word!r} in {place} says neither that a reply is supported nor that it is not.",
        "Write supported or unsupported, consistent or inconsistent, 1 or 0.",
    )
