"""The application over the example store, and a server of it for browsers."""

import socket
import threading
import time

import pytest

from qsquared.storage.store import Store

uvicorn = pytest.importorskip("uvicorn")
testclient = pytest.importorskip("starlette.testclient")

_PATIENCE_SECONDS = 120


def ready(client):
    """Wait until the store of a client's application has been read."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while "The store is being read" in client.get("/").text:
        assert time.monotonic() < until
        time.sleep(0.05)
    return client


def client_of(store, profile=None):
    """A client of the application over a store."""
    from qsquared.serve.app import make_app

    app = make_app(Store.open(store), profile, ["testserver", "127.0.0.1"])
    return testclient.TestClient(app, raise_server_exceptions=False)


@pytest.fixture(scope="module")
def pages(scored):
    """A client of the application over the example store."""
    return ready(client_of(scored.store))


@pytest.fixture(scope="module")
def address(scored, pages):
    """The address of a server of the same application."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(
        uvicorn.Config(pages.app, host="127.0.0.1", port=port, log_level="error")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()
