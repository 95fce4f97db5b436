"""The server of the pages: its address, and a quiet end by Ctrl-C or SIGTERM."""

from __future__ import annotations

import signal
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from qsquared.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.applications import Starlette

_GRACE_SECONDS = 3


class _QuietServer(uvicorn.Server):
    """A server to which a signal is no error; uvicorn's own raises it once more at its end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {
            number: signal.signal(number, self.handle_exit)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """Take an address; port 0 is any that is free.

    Raises:
        UsageError: it cannot be taken.
    """
    taken = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
    except OSError as error:
        taken.close()
        raise UsageError(
            f"The pages cannot be served at {host}, port {port}: {error.strerror or error}.",
            "Choose another port or address: --port 8043",
        ) from error
    return taken


def run_server(app: Starlette, taken: socket.socket) -> None:
    """Serve an application at an address until a signal ends it."""
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )  # fmt: skip
    _QuietServer(config).run(sockets=[taken])
