"""Prefect as an embedded library: an API of the run's own, where no server is set.

Prefect can start a temporary API by itself, but one that outlives a killed process; this one ends
with the process that needs it, on Linux even when that is killed.
"""

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
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import lock_descriptor

from qsquared.errors import Q2Error
from qsquared.flows.prefect_api.database import (
    begin_from_empty,
    is_current,
    keep_empty,
    put_aside_if_broken,
)
from qsquared.flows.prefect_api.event_loops import end_with_process
from qsquared.storage.files.places import working_folder

_PATIENCE_SECONDS = 900.0
"""A machine may be busy; an API that fails ends, and is noticed at once."""

_GRACE_SECONDS = 10.0
_PR_SET_PDEATHSIG = 1


_SERVER = {"PREFECT_UI_ENABLED": "0", "PREFECT__SERVER_EPHEMERAL": "1"}
_ONE_RUN_ONLY = {
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
    "PREFECT_SERVER_EVENTS_STREAM_OUT_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "500",
    # Prefect's queue has no other user, and to prepare these checks takes a tenth of the start.
    "PY_KEY_VALUE_DISABLE_BEARTYPE": "true",
}
"""Settings of an API that nobody watches and that ends with the run.

States of tasks are written together, every few seconds and at the end: one after another, the last
would still wait when the API ends, and be lost.
"""
_NOTHING_TO_MAKE = {
    "PREFECT_API_DATABASE_MIGRATE_ON_START": "false",
    "PREFECT_API_BLOCKS_REGISTER_ON_START": "false",
}
"""Settings for a database that has all its tables; else the API looks for what is missing, for a second."""

Meanwhile = Callable[[Callable[[], bool]], None]


def _settings(debug: bool) -> dict[str, str]:
    return {
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_RESULTS_DEFAULT_SERIALIZER": "json",
        "PREFECT_LOGGING_LEVEL": "DEBUG" if debug else "CRITICAL",
        "PREFECT_LOGGING_TO_API_ENABLED": "false",
        # The API is of the same installation, and asks for no token.
        "PREFECT_CLIENT_SERVER_VERSION_CHECK_ENABLED": "false",
        "PREFECT_CLIENT_CSRF_SUPPORT_ENABLED": "false",
    }


def _exclude_localhost_from_proxy() -> None:
    """Exclude this machine from the environment's proxy, for Prefect's client too."""
    for name in ("NO_PROXY", "no_proxy"):
        hosts = [host for host in os.environ.get(name, "").split(",") if host]
        os.environ[name] = ",".join(dict.fromkeys([*hosts, "127.0.0.1", "localhost"]))


@contextmanager
def _locked_home(first: Path) -> Iterator[tuple[Path, int]]:
    """Yield a folder for Prefect that no other process uses, and the descriptor that locks it.

    Two APIs on one SQLite file lock each other out, so a second process takes the next folder.
    Nothing is lost by that, since a finished stage is known by its file.
    The kernel frees the folder when all processes with the descriptor have ended.
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
    """Have the kernel kill this process when its parent dies, however it dies (Linux only).

    It is killed by SIGKILL, since the API would first wait for calls that nobody makes any more.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _command(handle: int) -> list[str]:
    # The command `prefect server start` would put one more process in between, and the API would
    # outlive that one.
    return [sys.executable, "-m", "qsquared.flows.prefect_api.api_process", str(handle)]


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
    failure = "did not answer in time" if ended is None else f"ended at once with code {ended}"
    raise Q2Error(
        f"Prefect's API {failure}; its log is {log}.",
        "Run the same command again; or start a server of your own and set PREFECT_API_URL.",
    )


def _drain_events() -> None:
    """Let Prefect's client send its last events while the API runs.

    It would otherwise try at the end of the process, and complain at length below our last sentence.
    """
    from prefect.events.worker import EventsWorker

    for name in ("EventsWorker", "prefect._internal"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    EventsWorker.drain_all(timeout=_GRACE_SECONDS, at_exit=False)


end_with_process()


@contextmanager
def embedded_prefect(
    store: Path, debug: bool = False, meanwhile: Meanwhile | None = None
) -> Iterator[None]:
    """Run an API of Prefect for the flows within; enter it before Prefect is imported.

    With ``PREFECT_API_URL`` set, that server is used and Prefect's settings stay as they are.
    Otherwise the database and cache of the API are inside the store (or in ``PREFECT_HOME``, if
    set), so a store is one folder that can be copied or removed, and other flows are not touched;
    those of a remote store are in its working folder on this machine.

    Args:
        store: folder of the store.
        debug: whether Prefect logs.
        meanwhile: work to do while the API starts, called with a function that says whether it has;
            it may import Prefect.

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
    with _locked_home(home) as (own, handle):
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
def _api(home: Path, handle: int, meanwhile: Meanwhile | None) -> Iterator[None]:
    """Run Prefect's API over the database in ``home``, at most as long as this process."""
    log = home / "server.log"
    had_tables = begin_from_empty(home)
    parent = os.getpid()
    # The API gets an open socket: a port that was only free a moment ago may be another run's by now,
    # and its API would answer in place of ours.
    with socket.create_server(("127.0.0.1", 0)) as listening, log.open("wb") as output:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/api"
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            _command(listening.fileno()),
            env={
                **_ONE_RUN_ONLY,
                **(_NOTHING_TO_MAKE if is_current(home) else {}),
                **os.environ,
                **_SERVER,
            },
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            # Ctrl-C is for the run, which then ends the server.
            start_new_session=True,
            # An API that outlives its run for a moment still has its database for itself.
            pass_fds=(handle, listening.fileno()),
            preexec_fn=(lambda: _end_with_parent(parent)) if sys.platform == "linux" else None,  # noqa: PLW1509
        )
    pool = ThreadPoolExecutor(1)
    try:
        # Prefect reads its settings when it is imported, which takes seconds, too.
        os.environ["PREFECT_API_URL"] = url
        waiting = pool.submit(_wait, process, url, log)
        if meanwhile is not None:
            meanwhile(waiting.done)
        from prefect import settings

        waiting.result()
        if not had_tables:
            keep_empty(home)
        # For a process that had imported Prefect before, and so read other settings.
        known = [name for name in os.environ if name.startswith("PREFECT_")]
        # Nobody waits for a sign of life, and a flow ends only when its thread for that has slept out.
        updates: dict[Any, str | None] = {settings.PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}
        updates |= {
            getattr(settings, name): os.environ[name] for name in known if hasattr(settings, name)
        }
        with settings.temporary_settings(updates):
            try:
                yield
            finally:
                _drain_events()
    finally:
        pool.shutdown(wait=False)
        process.terminate()
        try:
            process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
