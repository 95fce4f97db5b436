"""``python -m lab.benchmarks.commands.measure``: time the small commands by pyperf."""

import argparse
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from lab.benchmarks.commands.scoring import run_score
from lab.benchmarks.corpus import EXAMPLES
from lab.benchmarks.results import add_run

_Q2 = Path(sys.executable).parent / "q2"


def seconds(command: Sequence[str], processes: int, folder: Path) -> list[float]:
    """Measure the wall seconds of each start of a command."""
    import pyperf

    path = folder / "pyperf.json"
    path.unlink(missing_ok=True)
    harness = [sys.executable, "-m", "pyperf", "command", "--quiet", f"--processes={processes}"]
    subprocess.run(
        [*harness, "--values=1", "--warmups=0", "--loops=1", "-o", str(path), "--", *command],
        check=True,
    )
    benchmark = pyperf.BenchmarkSuite.load(str(path)).get_benchmarks()[0]
    return [float(value) for value in benchmark.get_values()]


def processor_seconds(command: Sequence[str], times: int) -> list[float]:
    """Measure the processor seconds of each start, which other work on the machine hardly changes."""
    found = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Time `q2 --help` and `q2 sql` on a small store, and add the figures to the file."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.commands.measure", description=__doc__
    )
    parser.add_argument("--processes", type=int, default=7, help="starts of each (default: 7)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the figures there")
    arguments = parser.parse_args(argv)
    with TemporaryDirectory(prefix="q2-commands-") as place:
        folder = Path(place)
        store = folder / "store"
        run_score("free", [EXAMPLES], store, "compact")
        query = "SELECT status, avg(q2) FROM scores GROUP BY 1"
        called = {
            "q2 --help": [str(_Q2), "--help"],
            "q2 sql": [str(_Q2), "sql", query, "--store", str(store)],
        }
        found: dict[str, dict[str, list[float]]] = {"seconds": {}, "processor_seconds": {}}
        for name, command in called.items():
            found["seconds"][name] = seconds(command, arguments.processes, folder)
            found["processor_seconds"][name] = processor_seconds(command, arguments.processes)
    Console().print(found)
    if arguments.json:
        add_run(arguments.json, found)


if __name__ == "__main__":
    main()
