"""An S3 server on loopback that can be made to fail."""

import itertools
import os
import random
import threading
from dataclasses import dataclass, field
from unittest import mock

import pytest

from qsquared.storage.files.remote_paths import place

pytest.importorskip("moto", reason="The S3 server of the tests is not installed: qsquared[dev]")
pytest.importorskip("s3fs", reason="The client of S3 is not installed: qsquared[s3]")

BUCKET = "logs-and-scores"


@dataclass
class Failing:
    """The server's application, which fails some requests: before they are carried out, or after."""

    app: object
    share: float = 0.0
    refusing: bool = False
    failed: int = 0
    dice: random.Random = field(default_factory=lambda: random.Random(5))

    def __call__(self, environ, start_response):
        """Answer one request."""
        draw = self.dice.random()
        if draw >= self.share:
            return self.app(environ, start_response)
        self.failed += 1
        if draw < self.share / 2:
            list(self.app(environ, lambda *_: lambda _body: None))
        status = ("503 Slow Down", "500 Internal Server Error")[self.failed % 2]
        code = b"SlowDown" if self.failed % 2 else b"InternalError"
        if self.refusing:
            status, code = "403 Forbidden", b"AccessDenied"
        body = b"<Error><Code>" + code + b"</Code><Message>Not now.</Message></Error>"
        start_response(status, [("Content-Type", "application/xml")])
        return [body]


@dataclass(frozen=True, slots=True)
class Server:
    """The address of the server, and what may be made to fail in it."""

    url: str
    failing: Failing


@pytest.fixture(scope="session")
def s3(tmp_path_factory):
    """The server with an empty bucket; the environment names it, as it would in production."""
    import s3fs
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Silent(WSGIRequestHandler):
        def log(self, *_):
            pass

    failing = Failing(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, failing, threaded=True, request_handler=Silent)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    named = {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "Q2_WORK": str(tmp_path_factory.mktemp("work")),
    }
    with mock.patch.dict(os.environ, named):
        s3fs.S3FileSystem.clear_instance_cache()
        s3fs.S3FileSystem().mkdir(BUCKET)
        yield Server(url, failing)
    server.shutdown()
    thread.join()


_NUMBERS = itertools.count()


@pytest.fixture
def root(s3):
    """The URL of a store that is not there yet."""
    return f"s3://{BUCKET}/stores/{next(_NUMBERS)}"


def objects(url, *folders):
    """The tables of a store at a URL by name, with their bytes."""
    return {
        path.relative_to(place(url)).as_posix(): path.read_bytes()
        for folder in folders or ("turns", "rejects", "pairs", "stages")
        for path in sorted((place(url) / folder).rglob("*.parquet"))
    }
