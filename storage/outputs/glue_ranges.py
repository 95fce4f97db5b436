"""Read and write files of fitted ranges, and fit a range on the turns of a store."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qsquared.errors import InputError, UsageError, cannot_read
from qsquared.method.glue.fitted import Fitted, fit_range, read_fitted
from qsquared.method.glue.indicators import INDICATORS
from qsquared.storage.connection import quote
from qsquared.storage.files.atomic import written_whole
from qsquared.storage.sql.catalogue import connect
from qsquared.storage.store import Store

_VIEWS = "turns indicators"


def read_range(path: Path) -> dict[str, Any]:
    """The content of a file of ``write_range``, as a metric's parameter.

    Raises:
        UsageError: it cannot be read, or is not what was written.
    """
    hint = "Make it anew with `q2 glue fit`; it is not meant to be changed by hand."
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        read_fitted(content)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            cannot_read(f"The range {path}", path, error), "Check the path."
        ) from error
    except ValueError as error:
        raise UsageError(f"{path} is no fitted range: {error}.", hint) from error
    return content


def write_range(path: Path, fitted: Fitted) -> None:
    """Write a range as JSON with its checksum.

    Raises:
        UsageError: the file cannot be written.
    """
    with written_whole(path) as temporary:
        temporary.write_text(json.dumps(fitted.to_json(), indent=1) + "\n", encoding="utf-8")


def fit_store(store: Store, profile: str, rating: str = "") -> Fitted:
    """The range of the turns of a store that have indicators under a profile.

    Args:
        store: scored with the metric `glue`.
        profile: as the column `profile` of SQL has it.
        rating: field of the log with people's rating, a number; without it there is no regression.

    Raises:
        InputError: no turn has indicators, or too few have a rating.
    """
    value = "NULL" if not rating else f"TRY_CAST(t.metadata->>{quote(rating)} AS DOUBLE)"
    columns = ", ".join(f"i.{name}" for name in INDICATORS)
    query = (
        f"SELECT {columns}, {value} AS rating FROM turns t JOIN indicators i USING (situation_id) "
        f"WHERE i.error IS NULL AND i.profile = {quote(profile)} ORDER BY t.input, t.position"
    )
    with connect(store, _VIEWS) as connection:
        found = connection.execute(query).fetchall()
        names = ("input", "source")
        inputs = connection.execute(f"SELECT {', '.join(names)} FROM inputs ORDER BY 1").fetchall()
    rows = [dict(zip(INDICATORS, row[:-1], strict=True)) for row in found]
    ratings = [_number(row[-1]) for row in found] if rating else None
    about: Mapping[str, Any] = {
        "profile": profile,
        "turns": len(rows),
        "rating": rating,
        "inputs": {fingerprint: Path(source).name for fingerprint, source in inputs},
    }
    try:
        return fit_range(rows, ratings, about)
    except ValueError as error:
        raise InputError(
            f"No range can be fitted on the store's turns under the profile {profile}: {error}.",
            "Score them first with `q2 score LOGS --metric glue`; the rating is a field of the log "
            "that holds a number.",
        ) from error


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
