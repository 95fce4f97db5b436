"""Prefect as an embedded library: its API in a thread of the run, where no server is set.

Prefect can start a temporary API by itself, but in a process that outlives a killed run (seen with
Prefect 3.8.8: its server went on after the SIGKILL of the flow that had started it), and over a
database that all runs of a user share. This one ends with its run, however that ends, and its
database holds that run alone.
"""

import atexit
import gc
import itertools
import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from pathlib import Path
from typing import Any

from filelock import lock_descriptor

from qsquared.errors import Q2Error
from qsquared.storage.files.remote_paths import working_folder

_PATIENCE_SECONDS = 900.0
"""A machine may be busy; an API that fails ends, and is noticed at once."""

_GRACE_SECONDS = 10.0
_POLL_SECONDS = 0.02

_DATABASE = "q2-run.db"
"""A name of our own, since ``PREFECT_HOME`` may hold the history of a server."""

_SETTINGS = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_RESULTS_DEFAULT_SERIALIZER": "json",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    # The API is of the same installation, and asks for no token.
    "PREFECT_CLIENT_SERVER_VERSION_CHECK_ENABLED": "false",
    "PREFECT_CLIENT_CSRF_SUPPORT_ENABLED": "false",
    # Nobody watches the API of one run.
    "PREFECT_UI_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED": "false",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED": "false",
    "PREFECT_SERVER_EVENTS_STREAM_OUT_ENABLED": "false",
    # States of tasks are written together, every few seconds and at the end: one after another, the
    # last would still wait when the API ends, and be lost.
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "500",
    # Prefect's queue has no other user, and to prepare these checks takes a tenth of the start.
    "PY_KEY_VALUE_DISABLE_BEARTYPE": "true",
}
"""Settings of an API that ends with its run; those of the environment go before them."""

_LOOP_SECONDS = 2.0


@cache
def end_loops_with_process() -> None:
    """Have the threads of Prefect's event loops end before the process does.

    Prefect leaves them to their fate, and one that is still there keeps the objects of a run alive;
    then DuckDB, which counts its own, prints a hundred lines into the log of a worker.
    Exit functions are called last first, so in a process of our own, where this is called before
    Prefect is imported, Prefect's still find the loops.
    In the process of a worker it comes too late for that; but there, too, Prefect has sent its last
    events and log lines before the first of them is called.
    """
    atexit.register(_end_loops)


def _end_loops() -> None:
    threads = sys.modules.get("prefect._internal.concurrency.threads")
    for name in ("_global_loop", "_run_sync_loop"):
        loop = getattr(threads, name, None)
        if loop is not None:
            loop.shutdown()
            loop.thread.join(_LOOP_SECONDS)
    gc.unfreeze()  # what was frozen to save time would stay, too


@contextmanager
def embedded_prefect(store: Path) -> Iterator[None]:
    """Run an API of Prefect for the flows within; enter it before Prefect is imported.

    With ``PREFECT_API_URL`` set, that server is used and Prefect's settings stay as they are.
    Otherwise the database and cache of the API are inside the store (or in ``PREFECT_HOME``, if
    set), so a store is one folder that can be copied or removed, and other flows are not touched;
    those of a remote store are in its working folder on this machine.
    The database is a new one for each run.

    Raises:
        Q2Error: the API does not start.
    """
    end_loops_with_process()
    if "PREFECT_API_URL" in os.environ:
        yield
        return
    wanted = Path(os.environ.get("PREFECT_HOME") or (working_folder(store) / "prefect").absolute())
    # An open socket, since a port that was only free a moment ago may be another run's by now.
    with _locked_home(wanted) as home, socket.create_server(("127.0.0.1", 0)) as listening:
        database = home / _DATABASE
        settings_of_run = {
            "PREFECT_HOME": str(home),
            "PREFECT_SERVER_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{database}",
            # `_make_tables` makes what a run needs.
            "PREFECT_SERVER_DATABASE_MIGRATE_ON_START": "false",
            "PREFECT_API_BLOCKS_REGISTER_ON_START": "false",
            "PREFECT_API_URL": f"http://127.0.0.1:{listening.getsockname()[1]}/api",
            **_without_proxy(),
        }
        unset = {name: value for name, value in _SETTINGS.items() if name not in os.environ}
        with _environment(unset | settings_of_run), _settings_of_environment():
            _make_tables(database)
            with _serving(listening, home / "server.log"):
                try:
                    yield
                finally:
                    _drain_events()


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Set variables of this process, and of those that it starts, for a while."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values.keys() - before.keys():
            os.environ.pop(name, None)
        os.environ.update({name: before[name] for name in values.keys() & before.keys()})


def _without_proxy() -> dict[str, str]:
    """Return the variables that exclude this machine from a proxy, for Prefect's client too."""
    variables = {}
    for name in ("NO_PROXY", "no_proxy"):
        hosts = [host for host in os.environ.get(name, "").split(",") if host]
        variables[name] = ",".join(dict.fromkeys([*hosts, "127.0.0.1", "localhost"]))
    return variables


@contextmanager
def _locked_home(first: Path) -> Iterator[Path]:
    """Yield a folder for Prefect that no other process uses.

    Two APIs on one SQLite file lock each other out, so a second process takes the next folder.
    Nothing is lost by that, since a finished stage is known by its file.
    """
    for home in itertools.chain([first], (Path(f"{first}-{n}") for n in itertools.count(2))):
        home.mkdir(parents=True, exist_ok=True)
        handle = os.open(home / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if _locked(handle):
                yield home
                return
        finally:
            os.close(handle)


def _locked(handle: int) -> bool:
    try:
        return lock_descriptor(handle, blocking=False)
    except OSError:
        # A file system without locks is no reason not to run.
        return True


@contextmanager
def _settings_of_environment() -> Iterator[None]:
    """Let Prefect take its settings from the environment, if it was imported with others before."""
    from prefect import settings

    updates: dict[Any, str | None] = {
        getattr(settings, name): value
        for name, value in os.environ.items()
        if name.startswith("PREFECT_") and hasattr(settings, name)
    }
    # Nobody waits for a sign of life, and a flow ends only when its thread for that has slept out.
    updates[settings.PREFECT_FLOWS_HEARTBEAT_FREQUENCY] = None
    with settings.temporary_settings(updates):
        yield


def _make_tables(database: Path) -> None:
    """Begin a database with Prefect's tables, all of them empty.

    Prefect would make them by replaying all its migrations, which takes ten seconds.
    """
    from prefect.server.database.orm_models import Base
    from sqlalchemy import create_engine
    from sqlalchemy.schema import CreateIndex, CreateTable

    for name in ("", "-wal", "-shm", "-journal"):
        database.with_name(f"{database.name}{name}").unlink(missing_ok=True)
    engine = create_engine(f"sqlite:///{database}")
    with engine.begin() as connection:
        for table in Base.metadata.sorted_tables:
            connection.execute(CreateTable(table))
            for index in table.indexes:
                # Prefect states some twice.
                connection.execute(CreateIndex(index, if_not_exists=True))
    engine.dispose()


@contextmanager
def _serving(listening: socket.socket, log: Path) -> Iterator[None]:
    """Answer on a socket with Prefect's API, in a thread.

    Raises:
        Q2Error: the API does not start.
    """
    import uvicorn
    from prefect.server.api.server import create_app

    app = create_app(ephemeral=True, ignore_cache=True)
    # After Prefect has configured its loggers; else its words would stand between ours.
    words = _Words(log, mode="w", delay=True)
    loggers = {name: logging.getLogger(name) for name in ("uvicorn", "prefect.server")}
    handlers = {name: logger.handlers for name, logger in loggers.items()}
    for logger in loggers.values():
        logger.handlers = [words]
        logger.propagate = False
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, log_level="error"))
    # Prefect keeps its settings in a variable of the context.
    thread = threading.Thread(
        target=copy_context().run, args=(server.run, [listening]), daemon=True, name="prefect-api"
    )
    thread.start()
    try:
        _wait(server, thread, log)
        yield
    finally:
        server.should_exit = True
        thread.join(_GRACE_SECONDS)
        for name, logger in loggers.items():
            logger.handlers = handlers[name]
        words.close()


class _Words(logging.FileHandler):
    """A file for the words of the API, which is silent where the disk is full: the run says so."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Drop a record that cannot be written."""


def _wait(server: Any, thread: threading.Thread, log: Path) -> None:
    """Wait until the server answers; its log says why it does not."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            failure = "did not answer in time" if thread.is_alive() else "could not start"
            raise Q2Error(
                f"Prefect's API {failure}; its log is {log}.",
                "Run the same command again; or start a server of your own and set PREFECT_API_URL.",
            )
        time.sleep(_POLL_SECONDS)


def _drain_events() -> None:
    """Let Prefect's client send its last events while the API runs.

    It would otherwise try at the end of the process, and complain at length below our last sentence.
    """
    from prefect.events.worker import EventsWorker

    for name in ("EventsWorker", "prefect._internal"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    EventsWorker.drain_all(timeout=_GRACE_SECONDS, at_exit=False)
