"""Prefect as an embedded library: an API of the run's own, for those who run no server.

Prefect can start a temporary API by itself, but one that outlives a killed process; this one ends
with the process that needs it, on Linux even when that is killed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qsquared.errors import Q2Error

_PATIENCE_SECONDS = 180.0
_GRACE_SECONDS = 10.0
_PR_SET_PDEATHSIG = 1


def _settings(store: Path, debug: bool) -> dict[str, str]:
    return {
        "PREFECT_HOME": str((store / "prefect").absolute()),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_RESULTS_DEFAULT_SERIALIZER": "json",
        "PREFECT_LOGGING_LEVEL": "DEBUG" if debug else "CRITICAL",
        "PREFECT_LOGGING_TO_API_ENABLED": "false",
    }


def _spare_loopback() -> None:
    """Keep a proxy of the environment from calls to this machine, Prefect's own client's too."""
    for name in ("NO_PROXY", "no_proxy"):
        hosts = [host for host in os.environ.get(name, "").split(",") if host]
        os.environ[name] = ",".join(dict.fromkeys([*hosts, "127.0.0.1", "localhost"]))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _end_with_parent() -> None:
    """Have the kernel end this process when its parent dies, even by SIGKILL (Linux only)."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _command(port: int) -> list[str]:
    # The command `prefect server start` would put one more process in between, and the API would
    # outlive that one.
    api = "prefect.server.api.server:create_app"
    server = [sys.executable, "-m", "uvicorn", "--factory", api, "--log-level", "error"]
    return [*server, "--host", "127.0.0.1", "--port", str(port)]


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    # A proxy of the environment is not for loopback.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with opener.open(f"{url}/health", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    ended = process.poll()
    what = "did not answer in time" if ended is None else f"ended at once with code {ended}"
    raise Q2Error(
        f"Prefect's API {what}; its log is {log}.",
        "Run the same command again; or start a server of your own and set PREFECT_API_URL.",
    )


@contextmanager
def embedded_prefect(store: Path, debug: bool = False) -> Iterator[None]:
    """Let flows within run; to be entered before Prefect is imported.

    With ``PREFECT_API_URL`` set, that server is used and Prefect's settings stay as they are.
    Else the database and cache of the API lie inside the store (or in ``PREFECT_HOME``, if set), so
    a store is one folder that can be copied or removed, and nobody's other flows are touched.

    Raises:
        Q2Error: the API does not start.
    """
    if "PREFECT_API_URL" in os.environ:
        yield
        return
    for name, value in _settings(store, debug).items():
        os.environ.setdefault(name, value)
    _spare_loopback()
    port = _free_port()
    log = Path(os.environ["PREFECT_HOME"]) / "server.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            _command(port),
            env=os.environ | {"PREFECT_UI_ENABLED": "0", "PREFECT__SERVER_EPHEMERAL": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            # Ctrl-C is for the run, which then ends the server.
            start_new_session=True,
            preexec_fn=_end_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509
        )
    url = f"http://127.0.0.1:{port}/api"
    try:
        # Prefect reads its settings when it is imported, which takes as long as its API to start.
        os.environ["PREFECT_API_URL"] = url
        from prefect import settings

        _wait(process, url, log)
        # For a process that had imported Prefect before, and so read other settings.
        known = [name for name in os.environ if name.startswith("PREFECT_")]
        updates = {
            getattr(settings, name): os.environ[name] for name in known if hasattr(settings, name)
        }
        with settings.temporary_settings(updates):
            yield
    finally:
        os.environ.pop("PREFECT_API_URL", None)
        process.terminate()
        try:
            process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
