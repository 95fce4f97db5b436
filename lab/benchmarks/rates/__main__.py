"""Simulate `q2 rate` on judged replies: ``python -m lab.benchmarks.rates --data DATA --page FILE.md``.

DATA is a folder with the published files of Q² (`q2-wow`), of BEGIN (`begin`) and
`more/replies/wow-judged-dev.jsonl.gz`; their replies are scored once, in the store of ``--store``.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from lab.benchmarks.rates.judged import MEASURES, read_judged
from lab.benchmarks.rates.simulate import Case, Outcome, cases, simulate
from qsquared.tasks.jobs.options import Job

LABELS = (60, 120, 240)

_HEAD = """# Coverage of the corrected rate

Replies that people judged, scored by the bundled models (`{measure}`), as populations of which the
true share is known.
From each, {draws:,} samples of 60, 120 and 240 replies were drawn as `q2 label draw` draws them, and
the share was estimated as `q2 rate` does.
*Alone* are as many judgements of a simple sample, without the score.
The bias is in widths of the interval.

```sh
python -m lab.benchmarks.rates --data DATA --measure {measure} --draws {draws} --page docs/results/rates-simulation.md
```

| replies | number | truth | AUC | labels | coverage | bias | width | alone: coverage | width | ratio |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
"""


def _line(case: Case, outcome: Outcome) -> str:
    cells = (
        case.name,
        f"{len(case.turns):,}",
        f"{case.truth:.1%}",
        f"{case.auc:.2f}",
        str(outcome.labels),
        f"{outcome.coverage:.1%}",
        f"{outcome.bias:+.3f}",
        f"{outcome.width:.3f}",
        f"{outcome.alone_coverage:.1%}",
        f"{outcome.alone_width:.3f}",
        f"{outcome.width / outcome.alone_width:.2f}",
    )
    return f"| {' | '.join(cells)} |\n"


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table, and write it as a page."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.rates", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--store", type=Path, default=Path("build") / "rates-store")
    parser.add_argument("--measure", choices=MEASURES, default="blend")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args(argv)
    job = Job(str(arguments.store.absolute()), "compact", "")
    page = _HEAD.format(measure=arguments.measure, draws=arguments.draws)
    print(page, end="")
    for judged in read_judged(arguments.data, job):
        for case in cases(judged, arguments.measure):
            for labels in LABELS:
                line = _line(case, simulate(case, labels, arguments.draws))
                print(line, end="", flush=True)
                page += line
    if arguments.page is not None:
        arguments.page.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
