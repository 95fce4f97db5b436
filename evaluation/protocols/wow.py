"""The protocols of the Q² paper on its 600 annotated responses (Honovich et al. 2021, sections 5.1, 5.4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.metrics import precision_recall_curve

from qsquared.evaluation.data.loaders import SYSTEMS
from qsquared.evaluation.measured import (
    MAIN_RUN,
    MEASURES,
    Measured,
    Published,
    make_table,
    published,
)
from qsquared.evaluation.reporting.report import Chart, Curve, ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.statistics import (
    Array,
    Figure,
    accuracy_at,
    bootstrap,
    detection,
    mean_value,
    roc_auc,
)

_SPLITS = ("inconsistent", "consistent")
_SHOWN = ("q2", "q2_without_nli", "blend", "e2e_nli", "overlap_f1")
_BINS = 10

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

_PAPERS_PROFILES = {"paper": "original"}
"""What the paper calls the models of a profile in tables 7 and 8."""


def wow_tables(measured: Measured) -> list[ResultTable]:
    """Tables 2, 3, 8, 9 and 11."""
    return [
        _table_2(measured),
        *_table_3(measured),
        _table_8(measured),
        _table_9(measured),
        _table_11(measured),
    ]


def _part(measured: Measured, system: str, split: str) -> npt.NDArray[np.bool_]:
    return measured.where(
        lambda item: item.facts["system"] == system and item.facts["split"] == split
    )


def _counts(measured: Measured, run: str, name: str) -> Array:
    found = measured.scores[run].column("scores", name)
    return np.array([np.nan if value is None else value for value in found], dtype=float)


def _table_2(measured: Measured) -> ResultTable:
    known = published("q2-wow", "table 2")
    rows: list[Row] = []
    asked = _counts(measured, measured.main, "questions")
    unanswered = _counts(measured, measured.main, "no_answer")
    for system in SYSTEMS:
        for split in _SPLITS:
            part = f"{system} {split}"
            within = _part(measured, system, split)
            rows += measured.rows(part, MEASURES, mean_value, known, within=within, compare=False)
            count = int(asked[within].sum())
            figure = Figure(float(count), None, int(within.sum()))
            rows.append(known.row(part, "questions", figure))
            share = Figure(float(unanswered[within].sum() / max(1, count)), None, count)
            rows.append(known.row(part, "no_answer", share))
    note = (
        "`questions` is their number, `no_answer` the share of them that the knowledge does not "
        "answer; BLEU is 0 to 1 here. The data has no random sample, so the paper's rows of it are "
        "left out. BERTScore is not rescaled; the paper's overlap leaves out stop words and its BLEU "
        "lowers the case of the knowledge, ours do neither."
    )
    return make_table("Table 2: mean scores", "Mean score", rows, known, note)


def _table_3(measured: Measured) -> list[ResultTable]:
    known = published("q2-wow", "table 3")
    rows: list[Row] = []
    for name, consistent in (("inconsistent", False), ("consistent", True)):
        for kind in ("precision", "recall", "F1"):
            rows += measured.rows(
                f"{name} {kind}", _SHOWN, detection(kind, consistent), known, compare=False
            )
    rows += measured.rows("accuracy", _SHOWN, accuracy_at(0.5), known)
    ranked = measured.rows("ROC-AUC", MEASURES, roc_auc, Published())
    return [
        make_table(
            "Table 3: single responses at threshold 0.5",
            "Precision, recall, F1 and accuracy",
            rows,
            known,
            "A value at the threshold counts as inconsistent, as in the published code.",
            measured.pairs("accuracy", _SHOWN, accuracy_at(0.5)),
        ),
        make_table(
            "Beside the paper: ranking of single responses",
            "ROC-AUC, which needs no threshold",
            ranked,
            Published(),
            comparisons=measured.pairs("ROC-AUC", MEASURES, roc_auc),
        ),
    ]


def _covered(measured: Measured, run: str) -> Array:
    """1 for a response with a valid question, else 0."""
    status = measured.scores[run].column("scores", "status")
    return np.array([one == "scored" for one in status], dtype=float)


def _by_split(measured: Measured, run: str, label: str, known: Published) -> list[Row]:
    """Mean Q² and coverage of each system's splits in a run."""
    rows = []
    columns = {"q2": measured.values("q2", run), "coverage": _covered(measured, run)}
    for system in SYSTEMS:
        for split in _SPLITS:
            within = _part(measured, system, split)
            clusters = [c for c, one in zip(measured.clusters, within, strict=True) if one]
            for name, values in columns.items():
                figure = bootstrap(mean_value, measured.labels[within], values[within], clusters)
                rows.append(known.row(f"{label}, {system} {split}", name, figure))
    return rows


def _table_8(measured: Measured) -> ResultTable:
    known = published("q2-wow", "table 8")
    rows: list[Row] = []
    for profile, run in measured.profiles.items():
        rows += _by_split(measured, run, _PAPERS_PROFILES.get(profile, profile), known)
    note = (
        "`coverage` is the share of responses with a valid question. The paper has no valid question "
        "for 6 to 8 % of these responses. `--also-profile` adds other models."
    )
    return make_table("Table 8: other models", "Mean Q² and coverage", rows, known, note)


def _table_9(measured: Measured) -> ResultTable:
    known = published("q2-wow", "table 9")
    rows: list[Row] = []
    for run in (measured.main, *(ablation.name for ablation in ABLATIONS)):
        label = "first valid question" if run == measured.main else run
        rows += _by_split(measured, run, label, known)
        for statistic, name in ((accuracy_at(0.5), "accuracy"), (roc_auc, "ROC-AUC")):
            rows += measured.rows(
                f"{label}: {name}", ("q2", "q2_without_nli"), statistic, known, run=run
            )
        total = Figure(
            float(np.nansum(_counts(measured, run, "questions"))), None, len(measured.items)
        )
        rows.append(Row(f"{label}: questions", "q2", total))
    note = (
        "The paper's second row has greedy decoding, its third keeps personal questions as well. "
        "`best question only` stands for it here: the generator's first question of each span. Rules "
        "are no beam search; the profile `paper-greedy` is a search of width 1."
    )
    return make_table(
        "Table 9: ablations", "Mean Q², coverage, accuracy at 0.5, ROC-AUC", rows, known, note
    )


def _table_11(measured: Measured) -> ResultTable:
    known = published("q2-wow", "table 11")
    rows = []
    lengths = {
        "characters": np.array([len(item.response) for item in measured.items], dtype=float),
        "tokens": np.array([len(item.response.split()) for item in measured.items], dtype=float),
    }
    for system in SYSTEMS:
        for split in _SPLITS:
            within = _part(measured, system, split)
            clusters = [c for c, one in zip(measured.clusters, within, strict=True) if one]
            for what, values in lengths.items():
                figure = bootstrap(mean_value, measured.labels[within], values[within], clusters)
                rows.append(known.row(f"{system} {split}", what, figure))
    note = "The data is tokenised, so that words between spaces are tokens."
    return make_table("Table 11: lengths", "Mean length of a response", rows, known, note)


def wow_charts(measured: Measured) -> list[Chart]:
    """Figures 3 to 6: precision and recall of both classes, and distributions of the scores."""
    charts = []
    for name, consistent in (("inconsistent", False), ("consistent", True)):
        curves = []
        for measure in _SHOWN:
            values = measured.values(measure)
            there = ~np.isnan(values)
            truth = (measured.labels[there] > 0.5) == consistent
            signed = values[there] if consistent else -values[there]
            precision, recall, _ = precision_recall_curve(truth, signed)
            points = sorted(zip(recall.tolist(), precision.tolist(), strict=True))
            curves.append(Curve(measure, tuple(points)))
        title = f"Figure 3: precision and recall of {name} responses"
        charts.append(Chart(title, "recall", "precision", tuple(curves)))
    for number, measure in ((4, "q2"), (5, "q2_without_nli"), (6, "e2e_nli")):
        curves = []
        for name, label in (("inconsistent", 0.0), ("consistent", 1.0)):
            values = measured.values(measure)[measured.labels == label]
            counts, edges = np.histogram(values[~np.isnan(values)], bins=_BINS, range=(0, 1))
            shares = counts / max(1, counts.sum())
            centres = (edges[:-1] + edges[1:]) / 2
            points = list(zip(centres.tolist(), shares.tolist(), strict=True))
            curves.append(Curve(name, tuple(points)))
        title = f"Figure {number}: distribution of {measure}"
        charts.append(Chart(title, measure, "share of responses", tuple(curves)))
    return charts
