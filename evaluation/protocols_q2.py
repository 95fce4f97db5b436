"""The protocols of the Q² paper on Wizard of Wikipedia (Honovich et al. 2021, sections 5 and 6)."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import precision_recall_curve

from qsquared.evaluation.loaders import SYSTEMS
from qsquared.evaluation.measured import MAIN_RUN, MEASURES, Measured, make_table, published
from qsquared.evaluation.report import FLOOR, Chart, Curve, ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.simulation import (
    REPETITIONS,
    RESPONSES,
    SHARES,
    rank_correlations,
    simulate_systems,
)
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
)
"""Table 9; the first valid question of a span is the main run."""

WOW_RUNS = (MAIN_RUN, *ABLATIONS)
RANDOM_RUN = Run("q2", ("q2", "overlap"))


def wow_tables(measured: Measured) -> list[ResultTable]:
    """Tables 2, 3, 8, 9 and 11."""
    return [
        _table_2(measured),
        *_table_3(measured),
        _table_8(measured),
        _table_9(measured),
        _table_11(measured),
    ]


def _part(
    measured: Measured, system: str, split: str
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
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
            rows.append(Row(part, "questions", figure, known.get(f"{part} / questions")))
            share = Figure(float(unanswered[within].sum() / max(1, count)), None, count)
            rows.append(Row(part, "no_answer", share, known.get(f"{part} / no_answer")))
    note = (
        "`questions` is their number, `no_answer` the share of them that the knowledge does not "
        "answer; BLEU is 0 to 1 here. The data has no random sample, so the paper's rows of it are "
        "left out. BERTScore is not rescaled and of another encoder."
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
    ranked = measured.rows("ROC-AUC", MEASURES, roc_auc, {})
    return [
        make_table(
            "Table 3: single responses at threshold 0.5",
            "Precision, recall, F1 and accuracy",
            rows,
            known,
            "p: paired bootstrap against the token overlap.",
        ),
        make_table(
            "Beside the paper: ranking of single responses",
            "ROC-AUC, which needs no threshold",
            ranked,
            {},
        ),
    ]


def _table_8(measured: Measured) -> ResultTable:
    rows = []
    covered = np.array(
        [
            status == "scored"
            for status in measured.scores[measured.main].column("scores", "status")
        ],
        dtype=float,
    )
    for system in SYSTEMS:
        for split in _SPLITS:
            within = _part(measured, system, split)
            clusters = [c for c, one in zip(measured.clusters, within, strict=True) if one]
            figure = bootstrap(mean_value, measured.labels[within], covered[within], clusters)
            rows.append(Row(f"{system} {split}", "coverage", figure))
    note = "The paper has 92 to 95 % (stated in its text)."
    return make_table(
        "Table 8: coverage", "Share of responses with a valid question", rows, {}, note
    )


def _table_9(measured: Measured) -> ResultTable:
    rows: list[Row] = []
    for run in (measured.main, *(ablation.name for ablation in ABLATIONS)):
        label = "first valid question" if run == measured.main else run
        for statistic, name in ((accuracy_at(0.5), "accuracy"), (roc_auc, "ROC-AUC")):
            rows += measured.rows(
                f"{label}: {name}", ("q2", "q2_without_nli"), statistic, {}, run=run
            )
        status = measured.scores[run].column("scores", "status")
        share = Figure(status.count("scored") / max(1, len(status)), None, len(status))
        rows.append(Row(f"{label}: coverage", "q2", share))
        total = Figure(float(np.nansum(_counts(measured, run, "questions"))), None, len(status))
        rows.append(Row(f"{label}: questions", "q2", total))
    note = (
        "`best question only` stands for greedy decoding: the generator's first question of each "
        "span. Rules are no beam search, so this is not the paper's ablation of it."
    )
    return make_table("Table 9: ablations", "Accuracy at 0.5, ROC-AUC, coverage", rows, {}, note)


def _table_11(measured: Measured) -> ResultTable:
    rows = []
    status = measured.scores[measured.main].column("scores", "status")
    lengths = {
        "words of the response": [len(item.response.split()) for item in measured.items],
        "words of the knowledge": [len(item.knowledge.split()) for item in measured.items],
    }
    for name in ("scored", "fallback_nli"):
        within = np.array([one == name for one in status], dtype=bool)
        clusters = [c for c, one in zip(measured.clusters, within, strict=True) if one]
        for what, values in lengths.items():
            figure = bootstrap(
                mean_value, measured.labels[within], np.array(values, dtype=float)[within], clusters
            )
            rows.append(Row(name, what, figure))
    return make_table("Table 11: lengths", "Mean number of words, by status", rows, {})


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


def system_tables(measured: Measured) -> list[ResultTable]:
    """Tables 4 and 7: simulated systems."""
    known = published("q2-system-level", "table 4")
    contexts: dict[str, dict[float, int]] = {}
    for index, item in enumerate(measured.items):
        contexts.setdefault(item.cluster, {})[float(item.label or 0)] = index
    mixed = [both for both in contexts.values() if len(both) == 2]
    good = np.array([both[1.0] for both in mixed])
    bad = np.array([both[0.0] for both in mixed])
    rows, means = [], []
    floor = None
    for measure in (FLOOR, *(name for name in MEASURES if name != FLOOR)):
        values = measured.values(measure)
        systems = simulate_systems(values[good], values[bad])
        found = rank_correlations(systems)
        sound = found[~np.isnan(found)]
        low, high = np.percentile(sound, [2.5, 97.5]) if len(sound) else (np.nan, np.nan)
        mean = float(sound.mean()) if len(sound) else None
        figure = Figure(mean, (float(low), float(high)), len(sound))
        floor = figure.value if measure == FLOOR else floor
        rows.append(
            Row("all systems", measure, figure, known.get(f"all systems / {measure}"), floor)
        )
        for share, scores in zip(SHARES, systems.T, strict=True):
            low, high = np.percentile(scores, [2.5, 97.5])
            score = Figure(float(scores.mean()), (float(low), float(high)), RESPONSES)
            means.append(Row(f"{share:.0%} inconsistent", measure, score))
    note = (
        f"{len(mixed)} contexts with one consistent and one inconsistent response; "
        f"{RESPONSES} drawn for each of {len(SHARES)} systems, {REPETITIONS:,} times (n: repetitions "
        "that have a correlation). The interval is that of the repetitions."
    )
    return [
        make_table("Table 4: systems in order", "Mean Spearman correlation", rows, known, note),
        make_table("Table 7: simulated systems", "Mean score of a system", means, {}),
    ]


def random_tables(measured: Measured) -> list[ResultTable]:
    """Table 10: what Q² gives where the knowledge is not the response's own."""
    rows: list[Row] = []
    for kind in ("own", "within file", "across topics"):
        for split in _SPLITS:
            within = measured.where(
                lambda item, kind=kind, split=split: (  # type: ignore[misc]
                    item.facts["knowledge"] == kind and item.facts["split"] == split
                )
            )
            rows += measured.rows(
                f"{kind}, {split}",
                ("q2", "q2_without_nli", "overlap_f1"),
                mean_value,
                published("q2-random-knowledge", "table 10"),
                within=within,
                compare=False,
            )
    note = "`within file` is knowledge of another row of the same file, `across topics` of another topic."
    return [make_table("Table 10: random knowledge", "Mean score", rows, {}, note)]
