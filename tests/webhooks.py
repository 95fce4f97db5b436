"""An HTTP server on loopback that records posts and answers with given codes."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Receiver:
    """The recorded posts, and the codes to answer with before success."""

    url: str = ""
    codes: list[int] = field(default_factory=list)
    bodies: list[dict] = field(default_factory=list)
    attempts: int = 0


@contextmanager
def receiving():
    """A server for as long as it is needed."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            receiver.attempts += 1
            body = self.rfile.read(int(self.headers["Content-Length"]))
            code = receiver.codes.pop(0) if receiver.codes else 200
            if code == 200:
                assert self.headers["Content-Type"] == "application/json"
                receiver.bodies.append(json.loads(body))
            self.send_response(code)
            self.send_header("Content-Length", "0")
            if code == 302:
                self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_arguments):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver.url = f"http://127.0.0.1:{server.server_address[1]}/hooks/secret-token"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()
