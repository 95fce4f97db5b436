"""``python -m lab.training.measure``: agreement of Q² with people, beside that of token overlap.

The sets are those of the model cards, which nothing is trained on; `qsquared.evaluation` reads and
scores them.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from qsquared.cli.terminal.printing import counted
from qsquared.evaluation.data import loaders
from qsquared.evaluation.data.files import Dataset, Item, find_file
from qsquared.evaluation.scoring import Run, score_items
from qsquared.evaluation.statistics import pearson
from qsquared.method.begin import ENTAILMENT
from qsquared.method.bootstrap import Array, Statistic, bootstrap
from qsquared.method.roc_auc import roc_auc
from qsquared.storage.files.atomic import write_json
from qsquared.tasks.jobs.options import Job

RUN = Run("measure", ("blend",), tables=("scores",))
COLUMNS = {
    "token overlap": "token_f1",
    "NLI": "nli",
    "Q² without NLI": "q2_without_nli",
    "Q²": "q2",
    "blend": "blend",
}
"""Name of each measure in the tables of this command → its column."""
OF_DEFAULTS = {"support": "support"}
"""The same of the measures that the defaults of `q2 score` have beyond the papers' rules."""
UNSCORED = 0.5
"""The score of an item that claims nothing by the defaults."""


def _read_begin(data: Path) -> Dataset:
    """Read BEGIN's first version, development set: entailment against the rest."""
    found = loaders.read_begin(find_file(data, "begin", "begin_v1_dev.tsv"))
    items = [replace(item, label=float(item.facts["label"] == ENTAILMENT)) for item in found.items]
    return replace(found, items=tuple(items))


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """A labelled set: its reader, and the statistic that fits its judgements."""

    read: Callable[[Path], Dataset]
    statistic: Statistic


SETS = {
    "q2-wow": MeasuredSet(loaders.read_q2_wow, roc_auc),
    "cross-annotation": MeasuredSet(loaders.read_cross_annotation, roc_auc),
    "begin-v1-dev": MeasuredSet(_read_begin, roc_auc),
    "qags-cnndm": MeasuredSet(loaders.read_qags_sentences, pearson),
}


def _by_unit(items: Sequence[Item], values: Array) -> tuple[Array, Array, list[str]]:
    """Return labels, values and clusters of the judged units; several items are their mean."""
    rows = [(item.unit, item.label, item.cluster) for item in items]
    columns = pl.DataFrame(rows, ["unit", "label", "cluster"], orient="row")
    units = (
        columns.with_columns(value=values)
        .group_by("unit", maintain_order=True)
        .agg(pl.mean("label", "value"), pl.first("cluster"))
    )
    return units["label"].to_numpy(), units["value"].to_numpy(), units["cluster"].to_list()


def measure(name: str, data: Path, job: Job, *, defaults: bool = False) -> dict[str, Any]:
    """Return all figures of one set: ROC-AUC, or Pearson where the judgement is graded.

    Args:
        name: one of ``SETS``.
        data: folder with the published files.
        job: store and profile.
        defaults: score by the defaults of `q2 score`, not by the papers' rules.
    """
    statistic = SETS[name].statistic
    items = SETS[name].read(data).items
    with counted("reading") as on_progress:
        scores = score_items(items, replace(RUN, as_published=not defaults), job, on_progress)
    result: dict[str, Any] = {
        "set": name,
        "statistic": "Pearson" if statistic is pearson else "ROC-AUC",
        "items": len(items),
        "coverage": float(np.mean([one == "scored" for one in scores.column("scores", "status")])),
        "questions_per_item": float(np.mean(scores.column("scores", "questions"))),
    }
    for name_of_column, column in (COLUMNS | (OF_DEFAULTS if defaults else {})).items():
        values = np.nan_to_num(scores.values(column), nan=UNSCORED)
        figure = bootstrap(statistic, *_by_unit(items, values))
        result[name_of_column] = {"value": figure.value, "interval": figure.interval}
    return result


def cells(result: dict[str, Any]) -> list[str]:
    """Return the figures of a set as texts, in the order of `HEAD`."""
    columns = []
    for name in (*COLUMNS, *(OF_DEFAULTS if set(OF_DEFAULTS) <= set(result) else ())):
        value, interval = result[name]["value"], result[name]["interval"]
        text = "" if value is None else f"{value:.3f}"
        columns.append(
            text if interval is None else "{} ({:.3f} to {:.3f})".format(text, *interval)
        )
    first = [result["set"], f"{result['items']:,}", result["statistic"]]
    return [*first, *columns, f"{result['coverage']:.1%}"]


HEAD = ("set", "items", "statistic", *COLUMNS, "coverage")


def main() -> None:
    """Score the measured sets with a profile and print the figures with 95 % intervals."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.measure", description=main.__doc__
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--store", type=Path, default=Path("build/measure"))
    parser.add_argument("--profile", default="compact")
    parser.add_argument("--profiles", default="")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=["q2-wow"])
    parser.add_argument(
        "--defaults", action="store_true", help="by the defaults of q2 score, with support"
    )
    parser.add_argument("--json", type=Path, help="write the figures here too")
    arguments = parser.parse_args()
    job = Job(str(arguments.store.absolute()), arguments.profile, arguments.profiles)
    measure_all(arguments.sets, arguments.data, job, arguments.json, defaults=arguments.defaults)


def measure_all(
    sets: Sequence[str], data: Path, job: Job, written: Path | None, *, defaults: bool = False
) -> None:
    """Print the figures of some sets, and write them as JSON too."""
    results = [measure(name, data, job, defaults=defaults) for name in sets]
    table = Table(*HEAD[:-1], *(OF_DEFAULTS if defaults else ()), HEAD[-1])
    for result in results:
        table.add_row(*cells(result))
    Console(width=200).print(table)
    if written:
        write_json(written, results)


if __name__ == "__main__":
    main()
