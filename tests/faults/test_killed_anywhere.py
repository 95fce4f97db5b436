"""Tests of a real run that is killed repeatedly: the short form of ``make soak``."""

import random
import signal
import threading
from types import SimpleNamespace

import duckdb
import pytest

from qsquared.storage.store import Store
from tests.calling import q2
from tests.faults.compare import (
    compare_stores,
    finished_twice,
    leftovers,
    read_executions,
    repeated,
    run_statuses,
)
from tests.faults.corpus import make_corpus
from tests.faults.soak import AT_START, Fault, hurt, show, uninterrupted
from tests.faults.workers import Worker, await_no_process_of, await_that, processes_of, published

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

TURNS, SHARDS = 2400, 40

ROUNDS = [
    (Fault(signal.SIGINT, 2, 0.01),),
    (Fault(signal.SIGKILL, 9, 0.0),),
    (Fault(signal.SIGKILL, AT_START, 2.5),),
    (Fault(signal.SIGKILL, 20, 0.02), Fault(signal.SIGKILL, 31, 0.05)),
    (Fault(signal.SIGKILL, 40, 0.035),),
]


@pytest.fixture(scope="module")
def scene(tmp_path_factory, prefect_api):
    """The corpus, and a store into which it was scored in one go."""
    folder = tmp_path_factory.mktemp("faults")
    corpus = make_corpus(folder, TURNS, SHARDS, shard_size=8, stubbed=True)
    uninterrupted(corpus, folder / "expected", folder / "expected.log", own_api=False)
    return SimpleNamespace(folder=folder, corpus=corpus, expected=folder / "expected")


def test_a_run_killed_again_and_again_ends_as_one_that_was_not(scene):
    """No row is lost or differs, and at most one stage of a shard is repeated for each fault."""
    store = scene.folder / "hurt"
    findings = hurt(scene.corpus, store, ROUNDS, random.Random(7), scene.folder, own_api=False)
    findings.difference = compare_stores(scene.expected, store)
    assert findings.complaints == []
    assert findings.faults == sum(map(len, ROUNDS)), show(findings)
    assert findings.resumed == findings.injected, show(findings)
    assert findings.stage_shards == SHARDS * 9
    assert findings.stage_shards <= findings.executions <= findings.stage_shards + findings.faults
    assert findings.difference.none, show(findings)
    assert findings.difference.rows > TURNS


def read_again_and_again(store, stop, seen):
    """Note the number of rows of every stage file, as any DuckDB client sees them."""
    while not stop.is_set():
        for stage in ("spans", "scores"):
            pattern = f"{store}/stages/{stage}/*/*.parquet"
            if not list(store.glob(f"stages/{stage}/*/*.parquet")):
                continue
            rows = duckdb.sql(
                f"SELECT filename, count(*) FROM read_parquet('{pattern}', filename = true) GROUP BY 1"
            ).fetchall()
            seen.append(dict(rows))
        outcome = q2("sql", "SELECT count(*) FROM scores", "--csv", "--store", store)
        seen.append(outcome.err)
        stop.wait(0.2)


def test_two_runs_at_once_share_the_work_while_others_read(scene):
    """Both end well, no stage is done twice, and a reader sees whole files only, at any time."""
    store = scene.folder / "shared"
    stop, seen = threading.Event(), []
    reader = threading.Thread(target=read_again_and_again, args=(store, stop, seen))
    workers = [Worker(scene.corpus, store, scene.folder / "shared-0.log", False)]
    try:
        await_that(lambda: len(published(store)) > 0, *workers)
        # The first holds still until the others are at work: else it may be done before that.
        workers[0].send(signal.SIGSTOP)
        reader.start()
        workers += [Worker(scene.corpus, store, scene.folder / "shared-1.log", False)]
        await_that(lambda: len(list(store.glob("executions/*.jsonl"))) == 2, workers[1])
        await_that(lambda: len(seen) > 0, workers[1])
        workers[0].send(signal.SIGCONT)
        codes = [worker.wait() for worker in workers]
    finally:
        stop.set()
        for worker in workers:
            worker.end()
    reader.join()
    assert codes == [0, 0], [worker.words for worker in workers]
    difference = compare_stores(scene.expected, store)
    assert difference.none, difference
    executions = read_executions(Store.open(store))
    assert (repeated(executions), finished_twice(executions)) == ({}, [])
    shared = {line.run_id for line in executions}
    assert len(shared) == 2, "one process did all the work"
    assert leftovers(store) == []
    assert list(run_statuses(store).values()) == ["completed"] * 2
    complete = {str(path): rows_of(path) for path in published(store)}
    looks = [look for look in seen if isinstance(look, dict)]
    assert any(len(look) < SHARDS for look in looks)
    for look in looks:
        assert look.items() <= complete.items()
    assert {look for look in seen if isinstance(look, str)} == {""}


def test_runs_with_apis_of_their_own_leave_no_process(scene):
    """Each has a database of its own, and its API in its own process, be it ended by SIGKILL or SIGTERM."""
    store = scene.folder / "own"
    workers = [Worker(scene.corpus, store, scene.folder / f"own-{n}.log") for n in range(2)]
    killed, ended = workers
    try:
        # A run that begins after the kill would mark the other as killed.
        await_that(lambda: list(run_statuses(store).values()) == ["running"] * 2, *workers)
        await_that(lambda: len(list(store.glob("executions/*.jsonl"))) == 2, *workers)
        assert {path.name for path in store.glob("prefect*")} == {"prefect", "prefect-2"}
        assert list(processes_of(store)) == []
        killed.send(signal.SIGKILL)
        ended.send(signal.SIGTERM)
        assert [worker.wait() for worker in workers] == [-9, 143], ended.words
    finally:
        for worker in workers:
            worker.end()
    assert await_no_process_of(store) == []
    last = ended.words.strip().rpartition("\n")[2]
    assert last.startswith("Interrupted. The same command continues: q2 score")
    assert sorted(run_statuses(store).values()) == ["interrupted", "running"]


def rows_of(path):
    """The number of rows of a Parquet file."""
    return duckdb.sql(f"SELECT count(*) FROM read_parquet('{path}')").fetchall()[0][0]
