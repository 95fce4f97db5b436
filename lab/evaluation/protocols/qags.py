"""Tables of QAGS on judged summaries (Wang et al. 2020, section 5)."""

import numpy as np

from qsquared.evaluation.measured import BASELINES, OVERLAPS, Measured, make_table, published
from qsquared.evaluation.protocols.published_rules import OF_QAGS, with_lower_orders
from qsquared.evaluation.report import ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.statistics import alpha_of_two, pearson, spearman
from qsquared.method.bootstrap import bootstrap
from qsquared.method.qags import QUESTIONS_COMPARED

QAGS_RUN = Run("qags", ("qags", *BASELINES))
QAGS_NUMBERS = (5, 10, QUESTIONS_COMPARED, 50)
"""K in the ablation of Wang et al. 2020 (section 5, table 4)."""


QAGS_RUNS = (
    QAGS_RUN,
    *(
        Run(f"{number} questions", ("qags",), (("qags_questions", number),))
        for number in QAGS_NUMBERS
        if number != QUESTIONS_COMPARED
    ),
)
_OF_QAGS = (
    "qags",
    "qags_unpadded",
    "qags_exact_match",
    "e2e_nli",
    *OVERLAPS,
    "bertscore_precision",
    *OF_QAGS,
)


def qags_tables(measured: Measured) -> list[ResultTable]:
    """Make tables 1 and 4 of QAGS, and the agreement of its annotators."""
    measured = with_lower_orders(measured)
    known = published(measured.dataset.name, "table 1")
    rows = measured.rows("Pearson", _OF_QAGS, pearson, known)
    rows += measured.rows("Spearman", _OF_QAGS, spearman, known)
    asked: list[Row] = []
    kinds = ("qags", "qags_exact_match", "qags_unpadded")
    for number in QAGS_NUMBERS:
        run = measured.main if number == QUESTIONS_COMPARED else f"{number} questions"
        asked += measured.rows(f"{number} questions", kinds, pearson, known, run=run)
    found = measured.scores[measured.main].column("qags", "questions")
    kept = [count for count in found if count is not None]
    said = {"mean": np.mean(kept), "most": max(kept, default=0), "without": kept.count(0)}
    pairs = (
        *measured.pairs("Pearson", _OF_QAGS, pearson),
        *measured.pairs("Spearman", _OF_QAGS, spearman),
    )
    rows = known.complete(rows, lambda part: not part.endswith("questions"))
    asked = known.complete(asked, lambda part: part.endswith("questions"))
    return [
        make_table("qags", "table 1", rows, pairs, known, **said),
        make_table("qags", "questions", asked, known=known),
        _annotators(measured),
    ]


def _annotators(measured: Measured) -> ResultTable:
    """Compare the annotators of QAGS with each other, sentence by sentence."""
    known = published(measured.dataset.name, "agreement")
    votes = [(item.cluster, *counts) for item in measured.items for counts in item.facts["votes"]]
    clusters = [cluster for cluster, _, _ in votes]
    yes, no = (np.array([one[place] for one in votes], dtype=float) for place in (1, 2))
    rows = [known.row("Krippendorff's alpha", "people", bootstrap(alpha_of_two, yes, no, clusters))]
    return make_table("qags", "agreement", rows, known=known)
