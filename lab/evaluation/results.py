"""Make the reports of all protocols again, one after the other: ``make results DATA=…``.

What a stopped run has scored stays in the store, so the same command goes on where it was stopped.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from qsquared.errors import InputError, Q2Error
from qsquared.evaluation.data.files import Dataset
from qsquared.evaluation.evaluate import NothingToMeasureError, evaluate, get_protocol
from qsquared.evaluation.protocols.registry import PROTOCOLS, Protocol
from qsquared.evaluation.report import FORMS, write_report
from qsquared.evaluation.scoring import Watch
from qsquared.evaluation.standing import read_reports, standing
from qsquared.storage.files.atomic import written_whole
from qsquared.tasks.jobs.options import Job

PAGE = "standing.md"
"""The page that stands our figures beside the papers'."""

BETWEEN_S = 30.0
"""Seconds between two lines of progress."""

Say = Callable[[str], None]


def say_line(text: str) -> None:
    """Write a line at once, also into a file."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def make_results(
    data: Path, out: Path, job: Job, only: Sequence[str] = (), say: Say = say_line
) -> dict[str, str]:
    """Write the report of each protocol whose data and models are there, and the page over all.

    Protocols with less to read come first, and the page is written after each.
    The page shows the reports in the folder, also those of earlier runs.
    The command in a report names the folder ``data``, wherever the data was read from.

    Args:
        data: folder with the published files.
        out: folder for the reports.
        job: store, profile and device.
        only: protocols to measure; all where there is none.
        say: takes the lines of progress.

    Returns:
        Why a protocol has no report, by its name.

    Raises:
        Q2Error: a model or the store cannot be used, or a report cannot be written.
    """
    left_out: dict[str, str] = {}

    def leave_out(name: str, error: Q2Error) -> None:
        left_out[name] = f"{name}: {error.message}".replace(str(data), "data")
        say(f"{name}: left out. {error.message}")

    work: dict[str, int] = {}
    for name in only or PROTOCOLS:
        protocol = get_protocol(name)
        try:
            work[name] = _work(protocol, protocol.read(data))
        except InputError as error:
            leave_out(name, error)
    for number, name in enumerate(sorted(work, key=work.__getitem__), start=1):
        started = time.monotonic()
        title = f"{name} ({number} of {len(work)})"
        say(f"{title}: begins")
        try:
            command = f"q2 evaluate {name} --data data"
            watch = _watch(title, say, started)
            report = evaluate(get_protocol(name), data, job, command, watch)
        except NothingToMeasureError as error:
            leave_out(name, error)
            continue
        for suffix in FORMS:
            write_report(report, out / f"{name}{suffix}")
        _write_page(out, left_out)
        say(f"{title}: {len(report.tables)} tables after {_minutes(started)}")
    _write_page(out, left_out)
    return left_out


def _work(protocol: Protocol, dataset: Dataset) -> int:
    """Return the characters that a protocol reads in all its runs, as a measure of its time."""
    texts = sum(
        len(item.knowledge) + len(item.response) + len(item.previous or "")
        for item in dataset.items
    )
    return texts * max(1, len(protocol.runs))


def _write_page(out: Path, left_out: Mapping[str, str]) -> None:
    with written_whole(out / PAGE) as temporary:
        temporary.write_text(standing(read_reports(out), left_out), encoding="utf-8")


def _watch(name: str, say: Say, started: float) -> Watch:
    """Return a watch of the scoring that says what it sees, every half minute at most."""
    last = time.monotonic()

    def watch(what: str, done: int, every: int) -> None:
        nonlocal last
        if time.monotonic() - last >= BETWEEN_S:
            last = time.monotonic()
            say(f"{name}: {what}, {done} of {every} replies done, {_minutes(started)}")

    return watch


def _minutes(started: float) -> str:
    minutes, seconds = divmod(int(time.monotonic() - started), 60)
    return f"{minutes} min {seconds:02d} s"


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and make the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with the published files")
    parser.add_argument("out", type=Path, help="folder for the reports")
    parser.add_argument("--store", type=Path, default=Path("build/results-store"))
    parser.add_argument("--profile", default="compact")
    parser.add_argument(
        "--only", nargs="*", default=[], metavar="NAME", help="protocols to measure"
    )
    given = parser.parse_args(arguments)
    job = Job(str(given.store.absolute()), given.profile)
    try:
        left_out = make_results(given.data, given.out, job, given.only)
    except Q2Error as error:
        parser.exit(error.exit_code, f"{error.message} {error.hint}\n")
    for why in left_out.values():
        say_line(f"left out: {why}")
    say_line(f"{given.out / PAGE} stands the reports beside the papers.")


if __name__ == "__main__":
    main()
