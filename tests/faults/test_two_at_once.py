"""Tests of processes that share a store: claims have one owner and end with its process."""

import signal
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from qsquared.flows.running import embedded_prefect
from qsquared.flows.running import plan as sharing
from qsquared.flows.running.plan import claimed, free_finished
from qsquared.flows.running.progress import Observer, observed_by
from qsquared.storage.files import shard_claims as locks
from qsquared.storage.files.shard_claims import Claim, Owner, abandoned_claims, ingest_lock
from qsquared.storage.store import Store

HOLDER = """
import sys, time
from pathlib import Path
from qsquared.storage.files import shard_claims as locks
from qsquared.storage.store import Store
locks.LEASE_SECONDS, locks._HEARTBEAT_SECONDS = float(sys.argv[2]), float(sys.argv[2]) / 10
claim = locks.Claim(Path(sys.argv[1]), "shard")
print(claim.take(), flush=True)
time.sleep(600)
"""

INGESTER = """
import sys, time
from pathlib import Path
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.store import Store
store, log, start = Store.open(Path(sys.argv[1])), Path(sys.argv[2]), Path(sys.argv[3])
print("ready", flush=True)
while not start.exists():
    time.sleep(0.001)
manifest = ingest_file(store, log)
print(manifest.reused, manifest.turns, manifest.fingerprint, flush=True)
"""


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    return Store.open(tmp_path / "store", create=True)


@pytest.fixture
def hold(store):
    """A function that lets another process hold the claim on the shard, and gives the process."""
    processes = []

    def start(lease=locks.LEASE_SECONDS):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(store.root), str(lease)],
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        assert process.stdout.readline() == "True\n"
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def short_leases(monkeypatch):
    """The seconds after which an owner is dead whose heart has stopped: here, one."""
    monkeypatch.setattr(locks, "LEASE_SECONDS", 1.0)
    monkeypatch.setattr(locks, "_HEARTBEAT_SECONDS", 0.1)
    return 1.0


def taken_within(claim, seconds):
    """Whether a claim is got by who asks again and again."""
    deadline = time.monotonic() + seconds
    while not claim.take():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_a_claim_has_one_owner_until_it_is_given_back(store):
    """A second process is refused, learns the owner, and gets the claim afterwards."""
    first, second = Claim(store.root, "shard"), Claim(store.root, "shard")
    assert first.take()
    assert not second.take()
    assert second.owner == first.owner
    first.release()
    assert second.owner is None
    assert second.take()
    assert second.previous is None
    second.release()
    assert list((store.root / "locks").iterdir()) == []


def test_the_claim_of_a_killed_process_is_taken_over_at_once(store, hold):
    """A living process keeps its claim; when it is killed, the next to ask gets it and says whose."""
    process = hold()
    claim = Claim(store.root, "shard")
    assert not claim.take()
    assert claim.owner.pid == process.pid
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert claim.take()
    assert claim.previous.pid == process.pid
    claim.release()


@pytest.mark.slow
def test_an_owner_elsewhere_is_dead_when_its_heart_stops(store, hold, short_leases):
    """No process of another host can be seen, so its claim ends a lease after its last beat."""
    process = hold(short_leases)
    process.send_signal(signal.SIGKILL)
    process.wait()
    path = store.root / "locks" / "shard.lock"
    (host,) = [line for line in path.read_text().splitlines() if line.startswith("host=")]
    path.write_text(path.read_text().replace(host, "host=elsewhere"))
    claim = Claim(store.root, "shard")
    assert claim.owner == Owner(process.pid, "elsewhere")
    beats = 2 * short_leases / 0.05
    for _ in range(int(beats)):
        path.touch()
        assert not claim.take()
        time.sleep(0.05)
    assert taken_within(claim, 60)
    assert str(claim.previous) == f"process {process.pid} on elsewhere"
    claim.release()


def test_an_owner_in_another_container_is_not_looked_up_by_its_number(store, hold, short_leases):
    """A container has the host's name and numbers of its own, so only silence shows an owner dead."""
    process = hold(short_leases)
    process.send_signal(signal.SIGKILL)
    process.wait()
    path = store.root / "locks" / "shard.lock"
    (host,) = [line for line in path.read_text().splitlines() if line.startswith("host=")]
    name = host.partition("?")[0]
    path.write_text(path.read_text().replace(host, f"{name}?pidns-f0000abc"))
    assert list(abandoned_claims(store.root)) == []
    time.sleep(1.1 * short_leases)
    assert [found for found, _ in abandoned_claims(store.root)] == [path]


def test_a_claim_that_names_nobody_is_no_obstacle(store, monkeypatch, caplog):
    """A process that was killed between making the file and signing it left it empty."""
    monkeypatch.setattr(locks, "_UNSIGNED_SECONDS", 0.2)
    claim = Claim(store.root, "shard")
    claim.path.parent.mkdir()
    claim.path.touch()
    assert not claim.take()
    assert taken_within(claim, 60)
    assert "names no owner" in caplog.text
    claim.release()


def test_claims_made_under_other_terms_are_refused_in_a_sentence(store, hold, short_leases):
    """Two versions that disagree on the length of a lease do not share a store."""
    hold(lease=5.0)
    with pytest.raises(locks.StoreError, match="another version"):
        Claim(store.root, "shard").take()


class Listener(Observer):
    """Notes for whom a run waits."""

    def __init__(self):
        self.heard = []

    def waiting(self, shards, owners):
        """Note it."""
        self.heard.append((shards, owners))


def test_free_shards_come_first_and_held_ones_when_they_are_free(store, monkeypatch):
    """A run works on what nobody has, says once for whom it waits, and then gets the rest."""
    monkeypatch.setattr(sharing, "_POLL_SECONDS", 0.01)
    other = Claim(store.root, "a")
    assert other.take()
    owner, listener, got = str(other.owner), Listener(), []
    with observed_by(listener), closing(claimed(store, ["a", "b", "c"])) as shards:
        for shard in shards:
            assert not Claim(store.root, shard).take()
            got.append(shard)
            if shard == "c":
                giving_back = threading.Timer(0.3, other.path.unlink)
                giving_back.start()
    giving_back.join()
    assert got == ["b", "c", "a"]
    assert listener.heard == [(1, owner)]
    assert list((store.root / "locks").iterdir()) == []


def test_an_error_gives_the_shard_back(store):
    """Others need not wait for the end of a process whose run failed."""

    def fail():
        with closing(claimed(store, ["a", "b"])) as shards:
            for shard in shards:
                raise ValueError(shard)

    with pytest.raises(ValueError, match="a"):
        fail()
    assert Claim(store.root, "a").owner is None


def test_a_dead_owner_is_named_in_the_log(store, hold, caplog):
    """Whoever takes a shard over says from whom."""
    process = hold()
    process.kill()
    process.wait()
    with closing(claimed(store, ["shard"])) as shards:
        assert next(shards) == "shard"
    assert f"The claim on shard is taken over from process {process.pid} on" in caplog.text


def test_a_dead_owner_of_a_finished_shard_leaves_no_claim(store, hold):
    """Nobody asks for a finished shard again; the next run removes what its killed owner left."""
    living = Claim(store.root, "living")
    assert living.take()
    process = hold()
    process.kill()
    process.wait()
    free_finished(store, ["shard", "living", "never locked"])
    assert [path.stem for path in (store.root / "locks").glob("*.lock")] == ["living"]
    living.release()


@pytest.mark.slow
def test_two_processes_that_read_the_same_log_read_it_once(store, tmp_path, write_log):
    """One reads, the other waits and finds the log read; the store has it once."""
    log, start = write_log("log.jsonl", 4000), tmp_path / "start"
    command = [sys.executable, "-c", INGESTER, str(store.root), str(log), str(start)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * 2
    start.touch()
    said = sorted(process.communicate()[0].split() for process in processes)
    assert [process.returncode for process in processes] == [0, 0]
    assert [line[:2] for line in said] == [["False", "4000"], ["True", "4000"]]
    assert said[0][2] == said[1][2]
    assert [path.stem for path in (store.root / "inputs").iterdir()] == [said[0][2]]


def test_waiting_for_a_log_that_another_process_reads_is_reported(store, monkeypatch, caplog):
    """Silence would look like a program that hangs."""
    monkeypatch.setattr(locks, "_SILENT_WAIT_SECONDS", 0.01)
    inside, done = threading.Event(), threading.Event()

    def read():
        with ingest_lock(store.root):
            inside.set()
            done.wait(60)

    reader = threading.Thread(target=read)
    reader.start()
    assert inside.wait(60)
    threading.Timer(0.3, done.set).start()
    with ingest_lock(store.root):
        assert done.is_set()
    reader.join()
    assert f"Another process reads a log into the store {store.root}" in caplog.text


def test_two_apis_never_share_a_database(tmp_path):
    """A second API gets the next folder, and the first folder once it is free again."""
    home = tmp_path / "prefect"
    with embedded_prefect._locked_home(home) as first:
        with embedded_prefect._locked_home(home) as second:
            assert (first, second) == (home, tmp_path / "prefect-2")
        with embedded_prefect._locked_home(home) as third:
            assert third == second
    with embedded_prefect._locked_home(home) as again:
        assert again == home
