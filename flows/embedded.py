"""Prefect as an embedded library: its settings for a run without a server of one's own."""

from __future__ import annotations

import os
from pathlib import Path


def embed_prefect(store: Path, debug: bool) -> None:
    """Set Prefect's environment before it is imported; what the user has set stays.

    Without ``PREFECT_API_URL`` Prefect's own database and cache lie inside the store, so a store
    is one folder that can be copied or removed, and nobody's other flows are touched.
    """
    chosen = {
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_RESULTS_DEFAULT_SERIALIZER": "json",
        "PREFECT_LOGGING_LEVEL": "DEBUG" if debug else "CRITICAL",
        "PREFECT_LOGGING_TO_API_ENABLED": "false",
        # The embedded server may start slowly on a busy machine.
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    }
    if "PREFECT_API_URL" not in os.environ:
        chosen["PREFECT_HOME"] = str((store / "prefect").absolute())
    for name, value in chosen.items():
        os.environ.setdefault(name, value)
