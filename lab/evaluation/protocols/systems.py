"""Tables of simulated systems and random knowledge (Honovich et al. 2021, section 5.1, tables 7 and 10).

From contexts with one consistent and one inconsistent response, systems are drawn that differ in
the share of inconsistent responses only.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from qsquared.evaluation.data.loaders import KNOWLEDGE, SPLITS
from qsquared.evaluation.measured import (
    MEASURES,
    UNPUBLISHED,
    Mask,
    Measured,
    Published,
    make_table,
    published,
)
from qsquared.evaluation.protocols.published_rules import OF_Q2, with_published_rules
from qsquared.evaluation.protocols.wow import PAPERS_PROFILES
from qsquared.evaluation.report import FLOOR, ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.statistics import compare_repetitions, mean_value
from qsquared.method.bootstrap import Array, Figure, percentile_interval

SHARES = (0.05, 0.10, 0.15, 0.20, 0.25)
"""Shares of inconsistent responses of the five systems."""

RESPONSES = 350
"""Responses of a simulated system, to contexts drawn with replacement."""

REPETITIONS = 1000
_SEED = 7


def simulate_systems(
    consistent: Array,
    inconsistent: Array,
    *,
    repetitions: int = REPETITIONS,
    same_contexts: bool = True,
) -> Array:
    """Return the mean score of each simulated system (repetitions by systems).

    The same contexts are drawn for every metric.

    Args:
        consistent: a metric's value of the consistent response of each context.
        inconsistent: that of the inconsistent one.
        repetitions: how often all systems are drawn.
        same_contexts: whether the systems of a repetition answer the same contexts, as in the
            published code; else each system draws its own, as the text reads ("for each simulated system").

    Raises:
        ValueError: there is no context.
    """
    if not len(consistent):
        raise ValueError("there is no context with a consistent and an inconsistent response")
    drawn, is_wrong = _draw(len(consistent), repetitions, same_contexts)
    scores = np.where(is_wrong, inconsistent[drawn], consistent[drawn])
    means: Array = np.nanmean(scores, axis=2)
    return means


@lru_cache(maxsize=2)
def _draw(
    contexts: int, repetitions: int, same_contexts: bool
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Draw each system's contexts, and mark those to which its response is the inconsistent one."""
    rng = np.random.default_rng(_SEED)
    size = (repetitions, len(SHARES), RESPONSES)
    drawn = rng.integers(0, contexts, (repetitions, 1, RESPONSES) if same_contexts else size)
    order = rng.random(size).argsort(axis=2)
    wrong = np.round(np.array(SHARES) * RESPONSES).astype(int)
    return np.broadcast_to(drawn, size), order < wrong[:, None]


def rank_correlations(means: Array) -> Array:
    """Return Spearman's correlation of the systems' mean scores with people's, for each repetition.

    People's score of a system is its share of consistent responses.
    A repetition in which all systems score alike has no correlation (NaN).
    """
    human = rankdata(1 - np.array(SHARES))
    ranks = rankdata(means, axis=1)
    first, second = ranks - ranks.mean(axis=1, keepdims=True), human - human.mean()
    scale = np.sqrt((first**2).sum(axis=1) * (second**2).sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = np.where(scale > 0, first @ second / scale, np.nan)
    return found


RANDOM_RUN = Run("q2", ("q2", "overlap"))

COVERED = "q2 without the fallback"
"""Mean of Q² over the replies that have a valid question."""


def _contexts(measured: Measured) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the consistent and the inconsistent response of each context that has one of both."""
    contexts: dict[str, dict[float, int]] = {}
    for index, item in enumerate(measured.items):
        contexts.setdefault(item.cluster, {})[item.label] = index
    mixed = [both for both in contexts.values() if len(both) == 2]
    return np.array([both[1.0] for both in mixed]), np.array([both[0.0] for both in mixed])


def _mean(found: Array) -> Figure:
    """Return the mean of repetitions with their interval."""
    sound = found[~np.isnan(found)]
    return Figure(
        float(sound.mean()) if len(sound) else None, percentile_interval(found), len(sound)
    )


def system_tables(measured: Measured) -> list[ResultTable]:
    """Make tables 4 and 7: simulated systems ranked by each metric, and by Q² with other models."""
    measured = with_published_rules(measured)
    good, bad = _contexts(measured)
    measures = (FLOOR, *(name for name in measured.present((*MEASURES, *OF_Q2)) if name != FLOOR))
    drawn = {
        "contexts": len(good), "responses": RESPONSES, "repetitions": REPETITIONS, "systems": len(SHARES),
    }  # fmt: skip
    tables = []
    means: list[Row] = []
    for same, title, statement in (
        (True, "Table 4: systems in order", "All systems answer the same contexts, as in the published code."),
        (False, "Beside the paper: systems with contexts of their own", "Each system draws its own contexts."),
    ):  # fmt: skip
        known = published("q2-system-level", "table 4") if same else UNPUBLISHED
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
        said = {"title": title, "statement": statement} | drawn
        rows = known.complete(rows)
        tables.append(make_table("q2-system-level", "table 4", rows, pairs, known, **said))
    return [
        *tables,
        _table_7(measured, good, bad),
        make_table("q2-system-level", "means", means),
    ]


def _table_7(
    measured: Measured, good: npt.NDArray[np.intp], bad: npt.NDArray[np.intp]
) -> ResultTable:
    known = published("q2-system-level", "table 7")
    figures = {}
    for profile, run in measured.profiles.items():
        values = measured.values("q2", run)
        found = rank_correlations(simulate_systems(values[good], values[bad]))
        figures[PAPERS_PROFILES.get(profile, profile)] = _mean(found)
    rows = known.complete([known.row(part, "q2", figure) for part, figure in figures.items()])
    return make_table("q2-system-level", "table 7", rows, known=known)


def random_tables(measured: Measured) -> list[ResultTable]:
    """Make table 10: Q² with knowledge that is not the response's own."""
    known = published("q2-random-knowledge", "table 10")
    rows: list[Row] = []
    measures = ("q2", "q2_without_nli", "overlap_f1")
    for kind in KNOWLEDGE:
        parts = {kind: measured.having(knowledge=kind)}
        parts |= {
            f"{kind}, {split}": measured.having(knowledge=kind, split=split) for split in SPLITS
        }
        for part, within in parts.items():
            if within.any():
                rows += measured.rows(
                    part, measures, mean_value, known, within=within, compare=False
                )
                rows.append(_covered(measured, part, known, within))
                rows.append(measured.no_answer_row(part, known, within))
    rows = known.complete(rows)
    return [make_table("q2-random-knowledge", "table 10", rows, known=known, covered=COVERED)]


def _covered(measured: Measured, part: str, known: Published, within: Mask) -> Row:
    status = measured.scores[measured.main].column("scores", "status")
    covered = within & np.array([one == "scored" for one in status], dtype=bool)
    figure = measured.figure(mean_value, measured.values("q2"), covered)
    return replace(known.row(part, "q2", figure), metric=COVERED)
