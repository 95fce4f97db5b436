"""Tests of claims in a store without locks: one owner at a time, and none after its death."""

import json
import subprocess
import sys
import threading
import time

import pytest
from filelock import Timeout

from qsquared.storage.files import object_leases as leases
from qsquared.storage.files.object_leases import ObjectLease
from qsquared.storage.files.remote_paths import place
from qsquared.storage.files.shard_claims import Claim, abandoned_claims, ingest_lock
from qsquared.storage.store import Store

pytestmark = pytest.mark.slow

HOLDER = """
import os, sys
from qsquared.storage.files.shard_claims import Claim
from qsquared.storage.files.remote_paths import place
print(Claim(place(sys.argv[1]), "shard").take(), flush=True)
sys.stdin.read()
os._exit(0)
"""


@pytest.fixture
def store(s3, root):
    """An empty store."""
    return Store.open(place(root), create=True)


def lease(store, seconds=120.0, heartbeat=15.0, lost=None):
    """A lease of its own on one claim."""
    folder = store.root / "locks" / "shard.lock"
    return ObjectLease(folder, seconds, heartbeat, (lost if lost is not None else []).append)


def objects(store):
    """The names of the objects of the claim."""
    return [path.name for path in (store.root / "locks" / "shard.lock").glob("*")]


def test_of_many_who_ask_at_once_one_gets_the_claim(store):
    """Nobody else has it until it is given back, and then nothing is left of it."""
    claims = [Claim(store.root, "shard") for _ in range(6)]
    start, got = threading.Barrier(len(claims)), []

    def ask(claim):
        start.wait()
        if claim.take():
            got.append(claim)

    threads = [threading.Thread(target=ask, args=(claim,)) for claim in claims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 1
    assert [claim.take() for claim in claims if claim is not got[0]] == [False] * 5
    got[0].release()
    assert objects(store) == []
    assert claims[0].take()
    claims[0].release()


def test_the_claim_of_a_dead_process_is_taken_over(store):
    """A live one keeps its claim; a dead one on this host is known at once, and named."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(store.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    claim = Claim(store.root, "shard")
    assert process.stdout.readline() == "True\n"
    assert not claim.take()
    assert claim.owner.pid == process.pid
    assert list(abandoned_claims(store.root)) == []
    process.communicate()
    ((path, who),) = abandoned_claims(store.root)
    assert path.name == "shard.lock"
    assert str(process.pid) in who
    assert claim.take()
    assert claim.previous.pid == process.pid
    assert len(objects(store)) == 1
    claim.release()


def test_an_owner_that_gives_its_claim_back_meanwhile_is_not_dead(store, monkeypatch):
    """Nobody is named as dead who released the claim between the look at it and the taking."""
    first, second = Claim(store.root, "shard"), Claim(store.root, "shard")
    assert first.take()
    acquire = ObjectLease.acquire

    def acquire_after_release(lease):
        first.release()
        acquire(lease)

    monkeypatch.setattr(ObjectLease, "acquire", acquire_after_release)
    assert second.take()
    assert second.previous is None
    second.release()


class Elsewhere(ObjectLease):
    """A lease of a process on another host."""

    def _content(self):
        return json.dumps(json.loads(super()._content()) | {"hostname": "elsewhere?1"}).encode()


class Clock:
    """A clock that a test sets forward."""

    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        """Return the time."""
        return self.now


def test_an_owner_elsewhere_lives_as_long_as_it_writes(store):
    """One on another host is dead when its object was not written for the time of a lease."""
    folder, clock = store.root / "locks" / "shard.lock", Clock()
    theirs = Elsewhere(folder, 3.0, 0.02, print, clock)
    mine = ObjectLease(folder, 3.0, 0.02, print, clock)
    theirs.acquire()
    for _ in range(3):
        clock.now += 2.0
        end = time.monotonic() + 10
        while mine.owner.written_at < clock.now and time.monotonic() < end:
            time.sleep(0.01)
        with pytest.raises(Timeout):
            mine.acquire()
    # It stops writing, as a host that lost its power.
    theirs._ended.set()
    theirs._heart.join()
    clock.now += 2.0
    with pytest.raises(Timeout):
        mine.acquire()
    clock.now += 1.1
    mine.acquire()
    assert mine.is_held
    mine.release()


def test_whoever_sees_another_owner_withdraws(store, monkeypatch):
    """Two who both found the claim free do not both get it, whatever numbers they took."""
    first, second = lease(store), lease(store)
    found = [[]]
    looks = ObjectLease._holders

    def late(self):
        return found.pop() if self is second and found else looks(self)

    first.acquire()
    monkeypatch.setattr(ObjectLease, "_holders", late)
    monkeypatch.setattr(leases, "put_if_absent", lambda data, path: leases.put(data, other(path)))

    def other(path):
        return path.with_name("000007")

    with pytest.raises(Timeout):
        second.acquire()
    assert first.owner is not None
    assert "000000" in objects(store)
    first.release()


def test_an_owner_that_was_taken_for_dead_is_reported(store):
    """Its work goes on, since the result is right anyway."""
    lost = []
    mine = lease(store, heartbeat=0.05, lost=lost)
    mine.acquire()
    (store.root / "locks" / "shard.lock" / "000000").unlink()
    mine._heart.join(10)
    assert lost == ["it was taken over"]
    mine.release()


def test_an_answer_that_was_lost_costs_nothing(store, monkeypatch):
    """A claim whose creation succeeded without an answer is ours."""
    put_if_absent = leases.put_if_absent

    def twice(data, path):
        put_if_absent(data, path)
        return put_if_absent(data, path)

    monkeypatch.setattr(leases, "put_if_absent", twice)
    mine = lease(store)
    mine.acquire()
    assert mine.is_held
    mine.release()


def test_one_process_reads_logs_at_a_time(store, caplog):
    """The other waits, and says for whom."""
    order = []

    def read(name, seconds):
        with ingest_lock(store.root):
            order.append(f"{name} begins")
            time.sleep(seconds)
            order.append(f"{name} ends")

    first = threading.Thread(target=read, args=("first", 3))
    first.start()
    while not order:
        time.sleep(0.01)
    read("second", 0)
    first.join()
    assert order == ["first begins", "first ends", "second begins", "second ends"]
    assert "reads a log into the store" in caplog.text
