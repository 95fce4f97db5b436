"""Read the sets that the models are measured on, never trained on, in their published formats."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from qsquared.evaluation.data import loaders
from qsquared.evaluation.data.items import Dataset


@dataclass(frozen=True, slots=True)
class Labelled:
    """A reply, its knowledge and people's judgement, 1 consistent to 0 not.

    ``cluster`` names the context: items that share one are not independent.
    ``unit`` names what the judgement is about, where that is several items together.
    """

    cluster: str
    unit: str
    knowledge: str
    response: str
    label: float


def _rows(path: Path, delimiter: str = ",") -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as handle:
        yield from csv.DictReader(
            handle,
            delimiter=delimiter,
            quoting=csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL,
        )


def _labelled(dataset: Dataset) -> list[Labelled]:
    return [
        Labelled(item.cluster, item.unit, item.knowledge, item.response, float(item.label or 0))
        for item in dataset.items
    ]


def read_q2_wow(data: Path) -> list[Labelled]:
    """The 600 responses of the Q² paper's four files (Honovich et al. 2021)."""
    return _labelled(loaders.read_q2_wow(data / "q2-wow"))


def read_cross_annotation(data: Path) -> list[Labelled]:
    """The 544 contexts with both systems' responses; the file codes 0 = consistent."""
    return _labelled(loaders.read_cross_annotation(data / "q2-wow"))


def read_begin(data: Path) -> list[Labelled]:
    """BEGIN's first version, development set: entailment against the rest (Dziri et al. 2021)."""
    return [
        Labelled(
            row["evidence"],
            str(i),
            row["evidence"],
            row["response"],
            float(row["gold label"] == "entailment"),
        )
        for i, row in enumerate(_rows(data / "begin" / "begin_v1_dev.tsv", "\t"))
    ]


def read_qags(data: Path) -> list[Labelled]:
    """QAGS CNN/DM by sentence: a sentence's label is the majority of its three annotators."""
    found = []
    with (data / "qags" / "mturk_cnndm.jsonl").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            for sentence in row["summary_sentences"]:
                votes = [answer["response"] == "yes" for answer in sentence["responses"]]
                found.append(
                    Labelled(
                        str(number),
                        str(number),
                        row["article"],
                        sentence["sentence"],
                        float(fmean(votes) > 0.5),
                    )
                )
    return found


SETS: dict[str, Callable[[Path], list[Labelled]]] = {
    "q2-wow": read_q2_wow,
    "cross-annotation": read_cross_annotation,
    "begin-v1-dev": read_begin,
    "qags-cnndm": read_qags,
}
