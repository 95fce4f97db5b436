"""The server of the pages: its address, and a quiet end by Ctrl-C or SIGTERM."""

import ipaddress
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from qsquared.errors import UsageError

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
    """Take an address or the first of a name; port 0 is any that is free.

    Raises:
        UsageError: it cannot be taken.
    """
    try:
        addresses = socket.getaddrinfo(bare(host), port, type=socket.SOCK_STREAM)
        # Of a name that has both kinds of addresses browsers may know the older one only.
        family, *_, address = min(addresses, key=lambda info: info[0] != socket.AF_INET)
        return socket.create_server(
            address, family=family, dualstack_ipv6=family == socket.AF_INET6
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        reason = reason.partition(" (while")[0]
        raise UsageError(
            f"The pages cannot be served at {host}, port {port}: {reason}.",
            "Choose another port or address: --port 8043",
        ) from error


def bare(host: str) -> str:
    """Return a host without the brackets in which addresses have IPv6."""
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def in_address(host: str) -> str:
    """Return a host as an address has it, with IPv6 in brackets.

    Raises:
        UsageError: it has a port, a path or the like, which no name of a machine has.
    """
    if re.fullmatch(r"\*|(\*\.)?[\w-]+(\.[\w-]+)*\.?", host):
        return host
    try:
        ipaddress.IPv6Address(bare(host))
    except ValueError as error:
        raise UsageError(
            f"{host!r} is no name of a machine.",
            "Give the name alone, as in --name scores.example.org",
        ) from error
    return f"[{bare(host)}]"


def address_of(host: str, taken: socket.socket) -> str:
    """Return an address that a browser on this machine can open, of a socket taken for a host."""
    number = _number(taken)
    if number.is_unspecified:
        host = "127.0.0.1" if number.version == 4 else "::1"
    return f"http://{in_address(host)}:{taken.getsockname()[1]}/"


def is_of_this_machine(taken: socket.socket) -> bool:
    """Whether no other machine can reach a socket."""
    return _number(taken).is_loopback


def _number(taken: socket.socket) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(taken.getsockname()[0])


def run_server(app: ASGIApp, taken: socket.socket) -> None:
    """Serve an application at an address until a signal ends it."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    _QuietServer(config).run(sockets=[taken])
