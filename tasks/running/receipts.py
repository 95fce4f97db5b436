"""Checks of Prefect's records of finished stages, made before Prefect reads them.

A record names its own serializer, so a changed one could have a pickle read; and a broken one would
end the run far from its cause.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from prefect.settings import get_current_settings

from qsquared.storage.files.parquet import Receipt

logger = logging.getLogger("qsquared")


def drop_unless(key: str, receipt: Receipt | None) -> None:
    """Remove Prefect's local record of a stage unless it is the plain JSON of this receipt.

    Args:
        key: the content key of the stage's output, which names the record.
        receipt: of the file in the store; None if there is none that holds.
    """
    path = Path(get_current_settings().results.local_storage_path) / key
    try:
        record = json.loads(path.read_bytes())
        plain = record["metadata"]["serializer"]["type"] == "json"
        found = read_receipt(json.loads(record["result"])) if plain else None
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        found = None
    if found is None:
        logger.warning("%s is no receipt of a stage. It was removed from Prefect's cache.", path)
    if found is None or found != receipt:
        path.unlink(missing_ok=True)


def read_receipt(value: Any) -> Receipt | None:
    """Return the receipt that a cache gave, or None if the value is no receipt."""
    try:
        return Receipt.from_json(value)
    except (KeyError, TypeError, ValueError):
        return None
