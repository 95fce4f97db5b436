"""``python -m lab.benchmarks.commands.reading``: speed and memory of reading a log, beside another checkout.

A log of the wanted size is written once for each form; then each checkout reads each log in processes
of its own, in turn, so that both meet the same machine.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import count, takewhile
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from lab.benchmarks.commands.checkouts import HERE, layout, run_there

_TIMES = 5
_READ = """
import resource, sys, time
from pathlib import Path
try:
    from qsquared.storage.logs.reading import detect_reading
except ModuleNotFoundError:  # checkouts before the storage had rooms
    from qsquared.storage.reading import how_to_read as detect_reading
    from qsquared.storage.turns import to_turn
path = Path(sys.argv[1])
begun = time.process_time()
reading = detect_reading(path, {})
if hasattr(reading, "turn_of"):
    turn_of = lambda row: reading.turn_of(row, "f", "x")
else:
    turn_of = lambda row: to_turn(row, "f", "x", reading.source, tabular=reading.tabular)
turns = sum(hasattr(row, "fields") and bool(turn_of(row)) for row in reading.rows(path))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(turns, time.process_time() - begun, peak / 1024)
"""
_FACT = "Parcels may be returned within 30 days of delivery if their seal is unbroken. "
_QUESTION, _REPLY = "How long may I return a parcel?", "You may return it within 30 days. "


def _flat(number: int) -> dict[str, object]:
    return {
        "id": str(number),
        "conversation_id": str(number // 4),
        "timestamp": "2026-11-16T10:00:00Z",
        "history": [_QUESTION],
        "knowledge": [f"{number} {_FACT * 4}", _FACT * 4],
        "response": _REPLY * 3,
    }


def _chat(number: int) -> dict[str, object]:
    found = json.dumps(
        [{"title": "Returns", "content": f"{number} {_FACT * 4}"}, {"content": _FACT * 4}]
    )
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    return {
        "id": str(number),
        "messages": [
            {"role": "user", "content": _QUESTION},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": found},
            {"role": "assistant", "content": _REPLY * 3},
        ],
    }


FORMS: dict[str, Callable[[int], dict[str, object]]] = {"flat": _flat, "openai": _chat}


def write_log(path: Path, row: Callable[[int], dict[str, object]], megabytes: int) -> None:
    """Write a log of JSON lines of about this size."""
    with path.open("w", encoding="utf-8") as handle:
        for number in takewhile(lambda _: handle.tell() < megabytes * 1_000_000, count()):
            handle.writelines(f"{json.dumps(row(1000 * number + part))}\n" for part in range(1000))


def read_once(log: Path, packages: Path) -> tuple[int, float, float]:
    """Read a log in a process of its own; return the turns, the processor's seconds, and the peak in MB."""
    done = run_there(packages, _READ, [str(log)])
    turns, seconds, peak = done.stdout.split()
    return int(turns), float(seconds), float(peak)


def _rows(checkouts: Sequence[Path], megabytes: int) -> Iterator[tuple[str, ...]]:
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        packages = {one: layout(one, folder / str(n)) for n, one in enumerate(checkouts)}
        for form, row in FORMS.items():
            log = folder / f"{form}.jsonl"
            write_log(log, row, megabytes)
            size = log.stat().st_size / 1e6
            found: dict[Path, list[tuple[int, float, float]]] = {one: [] for one in checkouts}
            for _ in range(_TIMES):
                for one in checkouts:
                    found[one].append(read_once(log, packages[one]))
            for one, runs in found.items():
                seconds = median(run[1] for run in runs)
                peak = max(run[2] for run in runs)
                rates = (f"{runs[0][0] / seconds:,.0f}", f"{size / seconds:.1f}", f"{peak:.0f}")
                yield (form, f"{size:,.0f}", one.name, f"{runs[0][0]:,}", *rates)
            log.unlink()


def main(argv: Sequence[str] | None = None) -> None:
    """Print turns a second, MB a second and the largest memory, for each form and checkout."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.commands.reading", description=__doc__
    )
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--before", type=Path, help="another checkout, such as a git worktree")
    arguments = parser.parse_args(argv)
    checkouts = [HERE] if arguments.before is None else [arguments.before.resolve(), HERE]
    table = Table(*("form", "MB", "checkout", "turns", "turns/s", "MB/s", "peak MB"), box=None)
    for row in _rows(checkouts, arguments.megabytes):
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
