"""Tables on the Q² paper's 600 annotated responses (Honovich et al. 2021, sections 5.1, 5.4)."""

from collections.abc import Iterator

import numpy as np

from qsquared.evaluation.data.loaders import SPLITS, SYSTEMS
from qsquared.evaluation.measured import (
    MAIN_RUN,
    MEASURES,
    UNPUBLISHED,
    Mask,
    Measured,
    Published,
    make_table,
    papers_alone,
    published,
)
from qsquared.evaluation.protocols.published_rules import OF_Q2, with_published_rules
from qsquared.evaluation.report import ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.statistics import accuracy_at, detection, mean_value
from qsquared.method.bootstrap import Figure
from qsquared.method.roc_auc import roc_auc
from qsquared.method.threshold import THRESHOLD

_SHOWN = ("q2", "q2_without_nli", "blend", "e2e_nli", "overlap_f1")

ABLATIONS = (
    Run("all valid questions", ("q2",), (("variant", "multi"),)),
    Run("best question only", ("q2",), (("questions_per_span", 1),)),
    Run("personal questions kept", ("q2",), (("leave_out_personal", False),)),
    Run(
        "best question only, personal kept",
        ("q2",),
        (("questions_per_span", 1), ("leave_out_personal", False)),
    ),
)
"""Table 9; the first valid question of a span is the main run."""

WOW_RUNS = (MAIN_RUN, *ABLATIONS)

PAPERS_PROFILES = {"paper": "original", "paper-small-qa": "question answering by ALBERT-base"}
"""The paper's name for the models of a profile in tables 7 and 8."""


def wow_tables(measured: Measured) -> list[ResultTable]:
    """Make tables 2, 3, 8, 9 and 11, and the agreement of the annotators."""
    measured = with_published_rules(measured)
    return [
        _table_2(measured),
        *_table_3(measured),
        _table_8(measured),
        _table_9(measured),
        _table_11(measured),
        papers_alone("q2-wow", "agreement"),
    ]


def _parts(measured: Measured) -> Iterator[tuple[str, Mask]]:
    """Name each of the four files and mark its items."""
    for system in SYSTEMS:
        for split in SPLITS:
            yield f"{system} {split}", measured.having(system=system, split=split)


def _table_2(measured: Measured) -> ResultTable:
    known = published("q2-wow", "table 2")
    rows: list[Row] = []
    asked = measured.counts("questions")
    for part, within in _parts(measured):
        rows += measured.rows(
            part, (*MEASURES, *OF_Q2), mean_value, known, within=within, compare=False
        )
        questions = Figure(float(asked[within].sum()), None, int(within.sum()))
        rows.append(known.row(part, "questions", questions))
        rows.append(measured.no_answer_row(part, known, within))
    return make_table("q2-wow", "table 2", known.complete(rows), known=known)


def _table_3(measured: Measured) -> list[ResultTable]:
    known = published("q2-wow", "table 3")
    rows: list[Row] = []
    for name in SPLITS:
        for kind in ("precision", "recall", "F1"):
            statistic = detection(kind, name == "consistent")
            rows += measured.rows(f"{name} {kind}", _SHOWN, statistic, known, compare=False)
    accuracy = accuracy_at(THRESHOLD)
    rows += measured.rows("accuracy", _SHOWN, accuracy, known)
    rows = known.complete(rows)
    pairs = measured.pairs("accuracy", _SHOWN, accuracy)
    ranked = measured.rows("ROC-AUC", MEASURES, roc_auc, UNPUBLISHED)
    return [
        make_table("q2-wow", "table 3", rows, pairs, known, threshold=THRESHOLD),
        make_table("q2-wow", "ranking", ranked, measured.pairs("ROC-AUC", MEASURES, roc_auc)),
    ]


def _coverage_rows(measured: Measured, run: str, label: str, known: Published) -> list[Row]:
    """Return both means of Q² and the share of responses with a valid question, for each file."""
    status = measured.scores[run].column("scores", "status")
    columns = {
        "q2": measured.values("q2", run),
        "q2_without_nli": measured.values("q2_without_nli", run),
        "coverage": np.array([one == "scored" for one in status], dtype=float),
    }
    return [
        known.row(f"{label}, {part}", name, measured.figure(mean_value, values, within))
        for part, within in _parts(measured)
        for name, values in columns.items()
    ]


def _table_8(measured: Measured) -> ResultTable:
    known = published("q2-wow", "table 8")
    rows: list[Row] = []
    for profile, run in measured.profiles.items():
        rows += _coverage_rows(measured, run, PAPERS_PROFILES.get(profile, profile), known)
    return make_table("q2-wow", "table 8", known.complete(rows), known=known)


def _table_9(measured: Measured) -> ResultTable:
    known = published("q2-wow", "table 9")
    rows: list[Row] = []
    for run in (measured.main, *(ablation.name for ablation in ABLATIONS)):
        label = "first valid question" if run == measured.main else run
        rows += _coverage_rows(measured, run, label, known)
        for statistic, name in ((accuracy_at(THRESHOLD), "accuracy"), (roc_auc, "ROC-AUC")):
            rows += measured.rows(
                f"{label}: {name}", ("q2", "q2_without_nli"), statistic, known, run=run
            )
        questions = float(measured.counts("questions", run).sum())
        rows.append(Row(f"{label}: questions", "q2", Figure(questions, None, len(measured.items))))
    rows = known.complete(rows)
    return make_table("q2-wow", "table 9", rows, known=known, threshold=THRESHOLD)


def _table_11(measured: Measured) -> ResultTable:
    known = published("q2-wow", "table 11")
    lengths = {
        "characters": np.array([len(item.response) for item in measured.items], dtype=float),
        "tokens": np.array([len(item.response.split()) for item in measured.items], dtype=float),
    }
    rows = [
        known.row(part, unit, measured.figure(mean_value, values, within))
        for part, within in _parts(measured)
        for unit, values in lengths.items()
    ]
    return make_table("q2-wow", "table 11", known.complete(rows), known=known)
