"""An operator's folder, in which the commands of docs/operations.md run."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import requests
import yaml

from tests.conftest import ROOT

PATIENCE = 240
GUIDE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def blocks_of(section):
    """The shell blocks of a section of the guide, in order."""
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", GUIDE, re.DOTALL | re.MULTILINE)
    assert text is not None
    return re.findall(r"```sh\n(.*?)```", text[1], re.DOTALL)


def free_port():
    """A port that nobody listens on at this moment."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


@dataclass
class Operator:
    """Follows the guide in a folder; only the port is another one, since 4200 may be taken."""

    home: Path
    port: int = field(default_factory=free_port)
    more: dict[str, str] = field(default_factory=dict)
    started: list[subprocess.Popen] = field(default_factory=list)

    def __post_init__(self):
        self.home.mkdir(parents=True, exist_ok=True)
        for name in ("prefect.yaml", "prefect.toml", "flows", "lab", "examples"):
            (self.home / name).symlink_to(ROOT / name)
        (self.home / ".venv").symlink_to(sys.prefix)

    @property
    def api(self):
        """Address of the server's API."""
        return f"http://127.0.0.1:{self.port}/api"

    @property
    def environment(self):
        """Return the environment of a fresh shell with Prefect's own files in the folder."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PREFECT", "Q2_"))}
        return kept | {
            "PREFECT_HOME": str(self.home / "prefect-home"),
            "PREFECT_SERVER_API_PORT": str(self.port),
            "NO_PROXY": "127.0.0.1,localhost",
            **self.more,
        }

    def _shell(self, block):
        return ["bash", "-e", "-c", block.replace("4200", str(self.port))]

    def type(self, block):
        """Type a block into a shell and wait for it; gives what it printed."""
        done = subprocess.run(
            self._shell(block), cwd=self.home, env=self.environment, capture_output=True,
            text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def leave_running(self, block, name):
        """Type a block into a terminal of its own."""
        with (self.home / f"{name}.log").open("wb") as output:
            self.started.append(
                subprocess.Popen(
                    self._shell(block), cwd=self.home, env=self.environment, stdout=output,
                    stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
                )
            )  # fmt: skip

    def said(self, name):
        """Return the output of a terminal."""
        return (self.home / f"{name}.log").read_text(errors="replace")

    def hears(self, name, words):
        """Whether a terminal prints these words, which may come after the state of its run."""
        deadline = time.monotonic() + PATIENCE
        while words not in self.said(name) and time.monotonic() < deadline:
            time.sleep(0.1)
        return words in self.said(name)

    def wait_for_server(self):
        """Until the API answers."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with contextlib.suppress(requests.RequestException):
                if requests.get(f"{self.api}/health", timeout=5).ok:
                    return
            assert self.started[0].poll() is None, self.said("server")
            time.sleep(0.1)
        raise AssertionError(self.said("server"))

    def is_healthy(self, service):
        """Whether the check of health that compose.yaml has of a service succeeds here."""
        services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
        _, program, *arguments = services[service]["healthcheck"]["test"]
        done = subprocess.run(
            [self.home / program, *arguments], cwd=self.home, check=False, capture_output=True,
            env=self.environment | {"PREFECT_API_URL": self.api}, timeout=PATIENCE,
        )  # fmt: skip
        return done.returncode == 0

    def flow_processes(self):
        """Return the numbers of the processes in which flows of this folder run."""
        home = f"PREFECT_HOME={self.home / 'prefect-home'}".encode()
        found = []
        for environ in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                settings = environ.read_bytes().split(b"\0")
                if home in settings and any(
                    s.startswith(b"PREFECT__FLOW_RUN_ID=") for s in settings
                ):
                    found.append(int(environ.parent.name))
        return found

    def ask(self, path, body=None):
        """Ask the API; a body is posted."""
        deadline = time.monotonic() + PATIENCE
        while True:
            method = "GET" if body is None else "POST"
            answer = requests.request(method, f"{self.api}/{path}", json=body, timeout=30)
            # A server on SQLite that is busy asks to be asked again, as Prefect's own client does.
            if answer.status_code != 503 or time.monotonic() > deadline:
                break
            time.sleep(0.2)
        assert answer.ok, answer.text
        return answer.json()

    def trigger(self, deployment, **parameters):
        """Have a deployment run now; gives the id of the run."""
        found = self.ask(f"deployments/name/{deployment}")
        state = {"type": "SCHEDULED"}
        body = {"parameters": found["parameters"] | parameters, "state": state}
        return self.ask(f"deployments/{found['id']}/create_flow_run", body)["id"]

    def ended(self, run):
        """The final state of a run."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            state = self.state(run)
            if state["type"] in {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}:
                return state
            time.sleep(0.2)
        raise AssertionError(self.said("worker"))

    def state(self, run):
        """The state of a run."""
        return self.ask(f"flow_runs/{run}")["state"]

    def leave(self):
        """Close the terminals, the last one first."""
        for process in reversed(self.started):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in reversed(self.started):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def put_log(home, day, name, rows):
    """Write a packed log of a date."""
    path = home / "logs" / day / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as handle:
        handle.writelines(json.dumps(row) + "\n" for row in rows)
