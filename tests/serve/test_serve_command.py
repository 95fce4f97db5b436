"""Tests of the command ``q2 serve``: its address, its names, and its end."""

import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import nullcontext

import pytest

from qsquared.serve import server
from qsquared.storage.store import Store
from tests.calling import q2

_PATIENCE_SECONDS = 60


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    Store.open(tmp_path / "store", create=True)
    return tmp_path / "store"


def test_the_command_needs_its_extra(store, monkeypatch):
    """Without it a sentence names what to install."""
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = q2("serve", "--store", store)
    assert done.code != 0
    assert "pip install -e '.[serve]'" in done.err


@pytest.fixture
def served(monkeypatch):
    """The addresses at which the command would have served its pages."""
    addresses = []

    def note(app, taken):
        addresses.append(taken.getsockname()[0])
        taken.close()

    monkeypatch.setattr(server, "run_server", note)
    return addresses


def test_the_command_listens_on_this_machine(store, served):
    """Another address is warned of, since there is no login."""
    done = q2("serve", "--store", store, "--port", 0)
    assert done.code == 0, done.err
    assert served == ["127.0.0.1"]
    assert "no login" not in done.out
    done = q2("serve", "--store", store, "--port", 0, "--host", "0.0.0.0")
    assert served[1:] == ["0.0.0.0"]
    assert "no login" in done.out
    assert re.match(r"http://127\.0\.0\.1:\d+/ ", done.out)


def test_a_port_that_is_taken_is_a_sentence(store):
    """Exit code 2, and the option that names another."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = q2("serve", "--store", store, "--port", port)
    assert done.code == 2
    assert f"port {port}: Address already in use." in done.err
    assert "--port" in done.err


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--name", "http://scores.example.org", "is no name of a machine"),
        ("--name", "scores:8042", "is no name of a machine"),
        ("--name", "sco*res", "is no name of a machine"),
        ("--host", "", "is no name of a machine"),
        ("--host", "203.0.113.77", "cannot be served at 203.0.113.77"),
        ("--host", "x" * 100, "cannot be served at"),
    ],
)
def test_a_name_or_an_address_that_cannot_be_is_a_sentence(store, option, value, told):
    """Exit code 2, before anything is served."""
    done = q2("serve", "--store", store, "--port", 0, option, value)
    assert done.code == 2
    assert told in done.err


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
@pytest.mark.parametrize("host", ["::1", "[::1]", "::"])
def test_an_address_of_ipv6_answers_as_it_is_printed(store, host, monkeypatch):
    """With brackets or without, and as the address of this machine if it stands for all."""
    seen = []

    def ask(app, taken):
        running = server._QuietServer(server.uvicorn.Config(app, log_level="warning"))
        running.capture_signals = nullcontext
        thread = threading.Thread(target=running.run, kwargs={"sockets": [taken]})
        thread.start()
        while not running.started:
            time.sleep(0.02)
        with urllib.request.urlopen(f"http://[::1]:{taken.getsockname()[1]}/style.css") as answer:
            seen.append(answer.status)
        running.should_exit = True
        thread.join()

    monkeypatch.setattr(server, "run_server", ask)
    done = q2("serve", "--store", store, "--port", 0, "--host", host)
    assert done.code == 0, done.err
    assert done.out.startswith("http://[::1]:")
    assert seen == [200]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_quietly(scored, number):
    """Exit code 0 without a word of an interruption, also while the store is being read."""
    program = "from qsquared.cli.main import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", program, "serve", "--store", str(scored.store), "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as running:  # fmt: skip
        address = running.stdout.readline().split()[0]
        until = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < until:
            try:
                urllib.request.urlopen(address, timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        running.send_signal(number)
        out, err = running.communicate(timeout=_PATIENCE_SECONDS)
    assert (running.returncode, out, err) == (0, "", "")
