"""Simulated systems and random knowledge (Honovich et al. 2021, sections 5.1 and 5.4, appendix C)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from qsquared.evaluation.data.items import Item
from qsquared.evaluation.data.loaders import KNOWLEDGE
from qsquared.evaluation.measured import MEASURES, Measured, Published, make_table, published
from qsquared.evaluation.pairs import compare_repetitions
from qsquared.evaluation.reporting.report import FLOOR, ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.simulation import (
    REPETITIONS,
    RESPONSES,
    SHARES,
    rank_correlations,
    simulate_systems,
)
from qsquared.evaluation.statistics import Array, Figure, interval, mean_value

RANDOM_RUN = Run("q2", ("q2", "overlap"))

_SPLITS = ("inconsistent", "consistent")

_PAPERS_PROFILES = {"paper": "original", "paper-small-qa": "question answering by ALBERT-base"}
"""What the paper calls the models of a profile in table 7."""


def _contexts(measured: Measured) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The consistent and the inconsistent response of each context that has one of both."""
    contexts: dict[str, dict[float, int]] = {}
    for index, item in enumerate(measured.items):
        contexts.setdefault(item.cluster, {})[float(item.label or 0)] = index
    mixed = [both for both in contexts.values() if len(both) == 2]
    return np.array([both[1.0] for both in mixed]), np.array([both[0.0] for both in mixed])


def _mean(found: Array) -> Figure:
    """The mean of repetitions and the interval of them."""
    sound = found[~np.isnan(found)]
    return Figure(float(sound.mean()) if len(sound) else None, interval(found), len(sound))


def system_tables(measured: Measured) -> list[ResultTable]:
    """Tables 4 and 7: simulated systems, ranked by each metric, and by Q² with other models."""
    good, bad = _contexts(measured)
    measures = (FLOOR, *(name for name in measured.present(MEASURES) if name != FLOOR))
    note = (
        f"{len(good)} contexts with one consistent and one inconsistent response; "
        f"{RESPONSES} of them drawn {REPETITIONS:,} times for {len(SHARES)} systems (n: repetitions that "
        "have a correlation). The interval is that of the repetitions."
    )
    tables = []
    means: list[Row] = []
    for same, title, statement in (
        (True, "Table 4: systems in order", "All systems answer the same contexts, as in the published code."),
        (False, "Beside the paper: systems with contexts of their own", "Each system draws its own contexts."),
    ):  # fmt: skip
        known = published("q2-system-level", "table 4") if same else Published()
        rows, repeated = [], {}
        for measure in measures:
            values = measured.values(measure)
            systems = simulate_systems(values[good], values[bad], same_contexts=same)
            repeated[measure] = rank_correlations(systems)
            figure = _mean(repeated[measure])
            floor = _mean(repeated[FLOOR]).value
            rows.append(known.row("all systems", measure, figure, floor))
            if same:
                means += [
                    Row(f"{share:.0%} inconsistent", measure, _mean(scores))
                    for share, scores in zip(SHARES, systems.T, strict=True)
                ]
        pairs = compare_repetitions("all systems", repeated)
        tables.append(
            make_table(
                title, "Mean Spearman correlation", rows, known, f"{statement} {note}", pairs
            )
        )
    return [
        *tables,
        _table_7(measured, good, bad),
        make_table("Scores of the simulated systems", "Mean score of a system", means, Published()),
    ]


def _table_7(
    measured: Measured, good: npt.NDArray[np.intp], bad: npt.NDArray[np.intp]
) -> ResultTable:
    known = published("q2-system-level", "table 7")
    figures = {}
    for profile, run in measured.profiles.items():
        values = measured.values("q2", run)
        found = rank_correlations(simulate_systems(values[good], values[bad]))
        figures[_PAPERS_PROFILES.get(profile, profile)] = _mean(found)
    parts = {key.partition(" / ")[0] for key in known.confirmed}
    for part in sorted(parts - figures.keys()):
        figures[part] = Figure(None, None, 0)
    rows = [known.row(part, "q2", figure) for part, figure in figures.items()]
    note = (
        "Q² with other models, on the systems of table 4. A row without a figure of ours is of models "
        "that were not run; `--also-profile` adds some."
    )
    return make_table("Table 7: other models", "Mean Spearman correlation", rows, known, note)


def random_tables(measured: Measured) -> list[ResultTable]:
    """Table 10: what Q² gives where the knowledge is not the response's own."""
    known = published("q2-random-knowledge", "table 10")
    rows: list[Row] = []
    measures = ("q2", "q2_without_nli", "overlap_f1")
    asked = _counts(measured, "questions")
    unanswered = _counts(measured, "no_answer")
    for kind in KNOWLEDGE:
        for split in ("", *_SPLITS):

            def holds(item: Item, kind: str = kind, split: str = split) -> bool:
                facts = item.facts
                return facts["knowledge"] == kind and split in ("", facts["split"])

            within = measured.where(holds)
            if not within.any():
                continue
            part = f"{kind}, {split}" if split else kind
            rows += measured.rows(part, measures, mean_value, known, within=within, compare=False)
            count = int(asked[within].sum())
            share = Figure(float(unanswered[within].sum() / max(1, count)), None, count)
            rows.append(known.row(part, "no_answer", share))
    note = (
        "`same dialogue` is knowledge of another turn of the dialogue, where the four files hold one; "
        "`within file` of another row of the same file, `across dialogues` of another dialogue. "
        "`no_answer` is the share of questions that the knowledge does not answer (n: questions)."
    )
    return [make_table("Table 10: random knowledge", "Mean score", rows, known, note)]


def _counts(measured: Measured, name: str) -> Array:
    found = measured.scores[measured.main].column("scores", name)
    return np.array([0 if value is None else value for value in found], dtype=float)
