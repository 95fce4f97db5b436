"""Replies that people judged, with the scores of a profile: the populations of the simulation."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from qsquared.evaluation.data.begin import read_begin
from qsquared.evaluation.data.files import Dataset, Item
from qsquared.evaluation.data.loaders import read_cross_annotation, read_q2_wow
from qsquared.evaluation.scoring import Run, score_items
from qsquared.method.begin.taxonomy import GENERIC
from qsquared.tasks.jobs.options import Job

MEASURES = ("q2", "blend", "consistency")
RUN = Run("rates", MEASURES, as_published=False)


@dataclass(frozen=True, slots=True)
class Judged:
    """Replies of one data set: whether people call each unfaithful, and its scores by measure.

    A reply that claims nothing has no score (NaN).
    """

    name: str
    unfaithful: npt.NDArray[np.bool_]
    scores: dict[str, npt.NDArray[np.float64]]


def judged_items(data: Path) -> list[tuple[str, list[Item]]]:
    """Read the data sets in a folder: the name and the items of each."""
    datasets = (
        read_q2_wow(data / "q2-wow"),
        read_cross_annotation(data / "q2-wow"),
        _read_judged_dev(data / "more" / "replies" / "wow-judged-dev.jsonl.gz"),
        read_begin(data / "begin"),
    )
    # People judge generic replies of BEGIN as chit-chat, which no rate is about.
    return [
        (one.name, [item for item in one.items if item.facts.get("label") != GENERIC])
        for one in datasets
    ]


def read_judged(data: Path, job: Job) -> list[Judged]:
    """Read the data sets in a folder, and score them through the job's store."""
    found = []
    for name, items in judged_items(data):
        scored = score_items(items, RUN, job)
        scores = {measure: scored.values(measure) for measure in MEASURES}
        found.append(Judged(name, np.array([item.label != 1.0 for item in items]), scores))
    return found


def _read_judged_dev(path: Path) -> Dataset:
    """Read replies on Wizard-of-Wikipedia knowledge with a label, as entailment or not."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    items = tuple(
        Item(str(place), str(place), row["premise"], row["hypothesis"], label)
        for place, row in enumerate(rows)
        for label in (float(row["label"] == "entailment"),)
    )
    return Dataset("wow-judged-dev", items, {})
