"""Kill and disturb a real scoring run repeatedly, restart it, and check that nothing is lost.

``python -m tests.faults.soak`` is the long form; ``test_killed_anywhere.py`` is the short one.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from qsquared.storage.store import Store
from tests.faults.compare import (
    Difference,
    compare_stores,
    finished_twice,
    leftovers,
    lost_work,
    read_executions,
    repeated,
    run_statuses,
)
from tests.faults.corpus import Corpus, make_corpus
from tests.faults.workers import Worker, await_no_process_of, await_that, published

CODES = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}
AT_START = -1


@dataclass(frozen=True, slots=True)
class Fault:
    """A signal to one worker, some seconds after so many more stages were published by any.

    With ``stages`` `AT_START` the signal comes ``delay`` seconds after the start of the process.
    """

    number: signal.Signals
    stages: int
    delay: float


Round = tuple[Fault, ...]
"""As many workers at once as there are faults; each fault hits one of those that are left."""


@dataclass(slots=True)
class Findings:
    """The faults that a run suffered, and the differences that were found."""

    injected: Counter[str] = field(default_factory=Counter)
    resumed: Counter[str] = field(default_factory=Counter)
    stage_shards: int = 0
    executions: int = 0
    repeated: int = 0
    difference: Difference | None = None
    complaints: list[str] = field(default_factory=list)

    @property
    def faults(self) -> int:
        """The number of signals that a worker received."""
        return self.injected.total()


def draw_rounds(
    rng: random.Random, kills: int, others: Sequence[signal.Signals], stages: int, startup: float
) -> list[Round]:
    """Rounds with so many SIGKILLs in all, a third of them with two workers at once.

    Args:
        rng: the source of all chance.
        kills: number of SIGKILLs.
        others: further signals, in rounds with one worker.
        stages: a fault comes after at most so many further stages.
        startup: seconds that a process takes until its first stage.
    """

    def kill() -> Fault:
        if rng.random() < 0.2:
            return Fault(signal.SIGKILL, AT_START, rng.uniform(0, startup))
        return Fault(signal.SIGKILL, rng.randint(1, stages), rng.uniform(0, 0.3))

    rounds: list[Round] = [
        (Fault(number, rng.randint(1, stages), rng.uniform(0, 0.3)),) for number in others
    ]
    left = kills
    while left:
        size = 2 if left > 1 and rng.random() < 0.33 else 1
        rounds.append(tuple(kill() for _ in range(size)))
        left -= size
    rng.shuffle(rounds)
    return rounds


def hurt(
    corpus: Corpus,
    store: Path,
    rounds: Sequence[Round],
    rng: random.Random,
    folder: Path,
    own_api: bool = True,
) -> Findings:
    """Go through the rounds, let one run end by itself, and compare the store.

    With ``own_api`` the workers start Prefect's API themselves; see `Worker`.
    """
    findings = Findings()
    before: list[tuple[str, dict[Path, int]]] = []
    for index, faults in enumerate(rounds):
        workers = [
            Worker(corpus, store, folder / f"{index}-{n}.log", own_api) for n in range(len(faults))
        ]
        try:
            for fault in faults:
                name = f"{fault.number.name}, {len(faults)} at once"
                victim = _inject(fault, workers, store, rng, findings)
                if victim is None:
                    findings.complaints.append(f"round {index} ended before its {name}")
                    continue
                findings.injected[name] += 1
                before.append((name, published(store)))
                _check_end(fault, victim, index, findings)
        finally:
            for worker in workers:
                worker.end()
        if own_api and (orphans := await_no_process_of(store)):
            findings.complaints.append(f"round {index} left the processes {orphans}")
    last = Worker(corpus, store, folder / "last.log", own_api)
    try:
        if last.wait() != 0:
            findings.complaints.append(f"the last run failed: {last.words[-2000:]}")
    finally:
        last.end()
    after = published(store)
    for name, files in before:
        findings.resumed[name] += all(after.get(path) == time for path, time in files.items())
    _look_at(store, findings)
    return findings


def _inject(
    fault: Fault, workers: list[Worker], store: Path, rng: random.Random, findings: Findings
) -> Worker | None:
    """Send the signal when its moment has come; None if no worker lived to see it."""
    begun = len(published(store))
    if fault.stages == AT_START:
        time.sleep(fault.delay)
    else:
        await_that(lambda: len(published(store)) >= begun + fault.stages, *workers)
        time.sleep(fault.delay)
    alive = [worker for worker in workers if not worker.ended]
    for worker in workers:
        if worker not in alive and worker.wait() not in {0, *CODES.values()}:
            findings.complaints.append(f"a run failed by itself: {worker.words[-2000:]}")
    if not alive:
        return None
    victim = rng.choice(alive)
    victim.send(fault.number)
    return victim


def _check_end(fault: Fault, victim: Worker, index: int, findings: Findings) -> None:
    code = victim.wait()
    if code != CODES[fault.number]:
        findings.complaints.append(
            f"round {index}: {fault.number.name} gave exit code {code}: {victim.words[-2000:]}"
        )
    if (
        fault.number != signal.SIGKILL
        and "The same command continues: q2 score" not in victim.words
    ):
        findings.complaints.append(f"round {index} did not say how to go on: {victim.words[-500:]}")


def _look_at(store: Path, findings: Findings) -> None:
    """Count executions and check what the runs left and recorded."""
    executions = read_executions(Store.open(store))
    findings.stage_shards = len(published(store))
    findings.executions = sum(line.event == "begin" for line in executions)
    findings.repeated = sum(repeated(executions).values())
    complaints = findings.complaints
    if findings.repeated > findings.faults:
        complaints.append("more than one stage was repeated for each fault")
    complaints += [
        f"run {run} lost {count} stages"
        for run, count in lost_work(executions).items()
        if count > 1
    ]
    complaints += [f"finished more than once: {what}" for what in finished_twice(executions)]
    complaints += [f"left behind: {what}" for what in leftovers(store)]
    statuses = Counter(run_statuses(store).values())
    gentle = sum(n for name, n in findings.injected.items() if not name.startswith("SIGKILL"))
    if statuses["completed"] != 1 or statuses["interrupted"] != gentle or statuses["running"]:
        complaints.append(f"the runs are recorded as {dict(statuses)}")


def uninterrupted(corpus: Corpus, store: Path, said: Path, own_api: bool = True) -> float:
    """Score the corpus in one go; gives the seconds until the first stage was published.

    Raises:
        RuntimeError: that failed.
    """
    began = time.monotonic()
    worker = Worker(corpus, store, said, own_api)
    try:
        await_that(lambda: bool(published(store)), worker)
        startup = time.monotonic() - began
        if worker.wait() != 0:
            raise RuntimeError(worker.words)
    finally:
        worker.end()
    return startup


def show(findings: Findings) -> str:
    """The findings as a table for people."""
    lines = [f"{'fault':<24}{'injected':>10}{'resumed':>10}"]
    for name, count in sorted(findings.injected.items()):
        lines.append(f"{name:<24}{count:>10}{findings.resumed[name]:>10}")
    lines.append(f"{'all':<24}{findings.faults:>10}{findings.resumed.total():>10}")
    rows = findings.difference
    assert rows is not None
    figures = [
        ("stage-shards", findings.stage_shards),
        ("executions", findings.executions),
        (f"repeated stage-shards (at most {findings.faults})", findings.repeated),
        ("rows compared", rows.rows),
        ("rows lost", rows.rows_lost),
        ("rows differing", rows.rows_differing),
        ("files compared", rows.files),
        ("files differing", rows.files_differing),
    ]
    lines += [""] + [f"{name:<44}{count:>8,}" for name, count in figures]
    return "\n".join(lines)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the long form; gives 0 if nothing was lost, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.soak", description=__doc__)
    parser.add_argument("--kills", type=int, default=28, help="number of SIGKILLs")
    parser.add_argument("--seed", type=int, default=20, help="decides all moments and victims")
    parser.add_argument("--turns", type=int, default=4000)
    parser.add_argument("--shards", type=int, default=50)
    parser.add_argument("--stubbed", action="store_true", help="fake models: as quick as can be")
    parser.add_argument("--keep", type=Path, help="do all in this new folder and leave it there")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="q2-soak-") as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        corpus = make_corpus(folder, options.turns, options.shards, 12, options.stubbed)
        _say(f"scoring {options.turns:,} turns in {options.shards} shards in one go")
        startup = uninterrupted(corpus, folder / "expected", folder / "expected.log")
        rng = random.Random(options.seed)
        others = [signal.SIGTERM] * 4 + [signal.SIGINT] * 3
        rounds = draw_rounds(rng, options.kills, others, stages=7, startup=startup)
        faults = sum(map(len, rounds))
        _say(f"scoring them again, with {faults} faults in {len(rounds)} rounds")
        findings = hurt(corpus, folder / "hurt", rounds, rng, folder)
        findings.difference = compare_stores(folder / "expected", folder / "hurt")
    _say("\n" + show(findings))
    for complaint in findings.complaints:
        _say(f"\n{complaint}")
    good = not findings.complaints and findings.difference.none
    good = good and findings.resumed == findings.injected and findings.faults == faults
    _say("\npassed" if good else "\nFAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
