"""Prefect as an embedded library: an API of the run's own, for those who run no server.

Prefect can start a temporary API by itself, but one that outlives a killed process; this one ends
with the process that needs it, on Linux even when that is killed.
"""

from __future__ import annotations

import ctypes
import itertools
import logging
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import lock_descriptor

from qsquared.errors import Q2Error
from qsquared.flows.prefect_api.database import begin_from_empty, keep_empty, put_aside_if_broken
from qsquared.storage.files.places import working_folder

_PATIENCE_SECONDS = 900.0
"""A machine may be busy; an API that fails ends, and is noticed at once."""

_GRACE_SECONDS = 10.0
_PR_SET_PDEATHSIG = 1


def _settings(debug: bool) -> dict[str, str]:
    return {
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_RESULTS_DEFAULT_SERIALIZER": "json",
        "PREFECT_LOGGING_LEVEL": "DEBUG" if debug else "CRITICAL",
        "PREFECT_LOGGING_TO_API_ENABLED": "false",
    }


def _exclude_localhost_from_proxy() -> None:
    """Keep a proxy of the environment from calls to this machine, Prefect's own client's too."""
    for name in ("NO_PROXY", "no_proxy"):
        hosts = [host for host in os.environ.get(name, "").split(",") if host]
        os.environ[name] = ",".join(dict.fromkeys([*hosts, "127.0.0.1", "localhost"]))


@contextmanager
def _home_of_our_own(first: Path) -> Iterator[tuple[Path, int]]:
    """A folder for Prefect that no other process uses, and a descriptor that keeps it ours.

    Two APIs on one SQLite file lock each other out, so who comes second takes the next folder.
    Nothing is lost by that, since a finished stage is known by its file.
    The kernel gives the folder free when all who have the descriptor are gone.
    """
    for home in itertools.chain([first], (Path(f"{first}-{n}") for n in itertools.count(2))):
        home.mkdir(parents=True, exist_ok=True)
        handle = os.open(home / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if _locked(handle):
                yield home, handle
                return
        finally:
            os.close(handle)


def _locked(handle: int) -> bool:
    try:
        return lock_descriptor(handle, blocking=False)
    except OSError:
        # A file system without locks is no reason not to run.
        return True


def _end_with_parent(parent: int) -> None:
    """Have the kernel end this process when its parent dies, even by SIGKILL (Linux only).

    By SIGKILL too: the API would first wait for calls that nobody makes any more.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _command(handle: int) -> list[str]:
    # The command `prefect server start` would put one more process in between, and the API would
    # outlive that one.
    api = "prefect.server.api.server:create_app"
    server = [sys.executable, "-m", "uvicorn", "--factory", api, "--log-level", "error"]
    return [*server, "--fd", str(handle)]


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


def _send_the_rest() -> None:
    """Let Prefect's client send what it has noted of the run while there is an API to take it.

    Else it would try at the end of the process, and complain at length below our own last sentence.
    """
    from prefect.events.worker import EventsWorker

    for name in ("EventsWorker", "prefect._internal"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    EventsWorker.drain_all(timeout=_GRACE_SECONDS, at_exit=False)


@contextmanager
def embedded_prefect(
    store: Path, debug: bool = False, meanwhile: Callable[[], None] | None = None
) -> Iterator[None]:
    """Let flows within run; to be entered before Prefect is imported.

    What is worth doing while the API starts can be given as ``meanwhile``; it must not fail.

    With ``PREFECT_API_URL`` set, that server is used and Prefect's settings stay as they are.
    Else the database and cache of the API lie inside the store (or in ``PREFECT_HOME``, if set), so
    a store is one folder that can be copied or removed, and nobody's other flows are touched; those
    of a remote store lie in its working folder on this machine.

    Raises:
        Q2Error: the API does not start.
    """
    if "PREFECT_API_URL" in os.environ:
        yield
        return
    home = Path(os.environ.get("PREFECT_HOME") or (working_folder(store) / "prefect").absolute())
    given = {name: os.environ.get(name) for name in ("PREFECT_HOME", "PREFECT_API_URL")}
    for name, value in _settings(debug).items():
        os.environ.setdefault(name, value)
    _exclude_localhost_from_proxy()
    with _home_of_our_own(home) as (own, handle):
        os.environ["PREFECT_HOME"] = str(own)
        put_aside_if_broken(own)
        try:
            with _api(own, handle, meanwhile):
                yield
        finally:
            for name, before in given.items():
                os.environ.pop(name, None)
                if before is not None:
                    os.environ[name] = before


@contextmanager
def _api(home: Path, handle: int, meanwhile: Callable[[], None] | None) -> Iterator[None]:
    """Prefect's API over the database in ``home``, for as long as the process that needs it."""
    log = home / "server.log"
    had_tables = begin_from_empty(home)
    parent = os.getpid()
    # The API gets an open socket: a port that was only free a moment ago may be another run's by now,
    # and its API would answer in place of ours.
    with socket.create_server(("127.0.0.1", 0)) as listening, log.open("wb") as output:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/api"
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            _command(listening.fileno()),
            env=os.environ | {"PREFECT_UI_ENABLED": "0", "PREFECT__SERVER_EPHEMERAL": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            # Ctrl-C is for the run, which then ends the server.
            start_new_session=True,
            # An API that outlives its run for a moment still has its database for itself.
            pass_fds=(handle, listening.fileno()),
            preexec_fn=(lambda: _end_with_parent(parent)) if sys.platform == "linux" else None,  # noqa: PLW1509
        )
    try:
        # Prefect reads its settings when it is imported, which takes as long as its API to start.
        os.environ["PREFECT_API_URL"] = url
        from prefect import settings

        if meanwhile is not None:
            meanwhile()
        _wait(process, url, log)
        if not had_tables:
            keep_empty(home)
        # For a process that had imported Prefect before, and so read other settings.
        known = [name for name in os.environ if name.startswith("PREFECT_")]
        updates = {
            getattr(settings, name): os.environ[name] for name in known if hasattr(settings, name)
        }
        with settings.temporary_settings(updates):
            try:
                yield
            finally:
                _send_the_rest()
    finally:
        process.terminate()
        try:
            process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
