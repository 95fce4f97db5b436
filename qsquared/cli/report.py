"""The command ``q2 report``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from qsquared.cli.text import count, visible
from qsquared.report.page import write_report
from qsquared.report.scope import ReportOptions
from qsquared.storage.store import Store


def run_report(folder: Path, out: Path, options: ReportOptions, title: str | None) -> None:
    """Write the report and say what it comes to.

    Raises:
        StoreError: there is no store, or a table of it is damaged.
        UsageError: there is nothing to report, or the file cannot be written.
    """
    if title is not None:
        options = replace(options, title=title)
    found = write_report(Store.open(folder), out, options)
    console = Console(highlight=False)
    total = found["total"]
    if total["rate"] is None:
        said = f"none of {count(total['turns'], 'turn')} has a score"
    else:
        said = (
            f"{total['inconsistent']:,} of {count(total['scored'], 'scored turn')} are inconsistent "
            f"({total['rate']:.1%}, 95 % interval {total['rate_low']:.1%} to {total['rate_high']:.1%}), "
            f"coverage {total['coverage']:.1%}"
        )
    console.print(Text(f"{visible(str(out))}: {said}"), soft_wrap=True)
    shown, wrong = len(found["cases"]), found["wrong_pairs"]
    console.print(
        Text(
            f"{count(shown, 'case')} shown of {count(wrong, 'distinct reply')} below "
            f"{options.threshold:g}; {found['bytes'] / 1e6:.1f} MB".replace("replys", "replies")
        )
    )
