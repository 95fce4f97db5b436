"""Make the reports of all protocols anew, one after the other: ``make results DATA=…``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from qsquared.errors import InputError
from qsquared.evaluation.evaluate import evaluate
from qsquared.evaluation.protocols.registry import PROTOCOLS
from qsquared.evaluation.reporting.output import write_report
from qsquared.tasks.jobs.options import Job

FORMS = {"markdown": ".md", "json": ".json"}


def make_results(data: Path, out: Path, job: Job) -> tuple[list[str], list[str]]:
    """Write the report of each protocol whose data is there; return those names, and the others.

    The protocol `binary` is of any file and so has no report.
    The command in a report names the folder ``data``, wherever the data was read from.

    Raises:
        Q2Error: a model or the store cannot be used, or a report cannot be written.
    """
    made, left_out = [], []
    for name, protocol in PROTOCOLS.items():
        if name == "binary":
            continue
        try:
            protocol.read(data)
        except InputError as error:
            left_out.append(f"{name}: {error.message}")
            continue
        report = evaluate(protocol, data, job, f"q2 evaluate {name} --data data")
        for form, suffix in FORMS.items():
            write_report(report, form, out / f"{name}{suffix}")
        sys.stdout.write(f"{name}: {len(report.tables)} tables\n")
        sys.stdout.flush()
        made.append(name)
    return made, left_out


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and make the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with the published files")
    parser.add_argument("out", type=Path, help="folder for the reports")
    parser.add_argument("--store", type=Path, default=Path("build/results-store"))
    parser.add_argument("--profile", default="compact")
    given = parser.parse_args(arguments)
    _, left_out = make_results(
        given.data, given.out, Job(str(given.store.absolute()), given.profile)
    )
    for why in left_out:
        sys.stdout.write(f"left out: {why}\n")


if __name__ == "__main__":
    main()
