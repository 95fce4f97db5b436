"""Tables of QAGS on judged summaries (Wang et al. 2020, section 5)."""

from dataclasses import replace

import numpy as np

from qsquared.evaluation.data.files import Item
from qsquared.evaluation.measured import (
    BASELINES,
    OVERLAPS,
    Measured,
    Published,
    make_table,
    published,
)
from qsquared.evaluation.protocols.published_rules import (
    OF_QAGS,
    OF_REFERENCE,
    with_lower_orders,
)
from qsquared.evaluation.reporting.report import ResultTable, Row
from qsquared.evaluation.scoring import Run
from qsquared.evaluation.statistics import alpha_of_two, pearson, spearman
from qsquared.method.bootstrap import bootstrap
from qsquared.method.qags import QUESTIONS

QAGS_RUN = Run("qags", ("qags", *BASELINES))
QAGS_NUMBERS = (5, 10, QUESTIONS, 50)
"""K in the ablation of Wang et al. 2020 (section 5, table 4)."""


def _reference(item: Item) -> Item | None:
    """Put the reference summary in the place of the article."""
    return replace(item, knowledge=item.facts["reference"]) if "reference" in item.facts else None


REFERENCE_RUN = Run(
    "reference", tuple(name for name in BASELINES if name != "e2e_nli"), reads=_reference
)
"""The baselines as the paper has them, where the user supplies the references."""

QAGS_RUNS = (
    QAGS_RUN,
    REFERENCE_RUN,
    *(
        Run(f"{number} questions", ("qags",), (("qags_questions", number),))
        for number in QAGS_NUMBERS
        if number != QUESTIONS
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
    rows += _reference_rows(measured, known)
    asked: list[Row] = []
    kinds = ("qags", "qags_exact_match", "qags_unpadded")
    for number in QAGS_NUMBERS:
        run = measured.main if number == QUESTIONS else f"{number} questions"
        asked += measured.rows(f"{number} questions", kinds, pearson, known, run=run)
    found = measured.scores[measured.main].column("qags", "questions")
    kept = [count for count in found if count is not None]
    note = (
        f"Kept questions: {np.mean(kept):.1f} a summary on average, at most {max(kept, default=0)}; "
        f"{sum(count == 0 for count in kept)} summaries have none and no score."
    )
    pairs = (
        *measured.pairs("Pearson", _OF_QAGS, pearson),
        *measured.pairs("Spearman", _OF_QAGS, spearman),
    )
    return [
        make_table(
            "Agreement with people",
            "Correlation",
            known.complete(rows, lambda part: not part.endswith("questions")),
            known,
            note,
            pairs,
        ),
        make_table(
            "Number of questions",
            "Pearson's correlation",
            known.complete(asked, lambda part: part.endswith("questions")),
            known,
            "`qags` compares by token F1, `qags_exact_match` by equality; `qags_unpadded` draws no "
            "question twice.",
        ),
        _annotators(measured),
    ]


def _reference_rows(measured: Measured, known: Published) -> list[Row]:
    """Make the rows of measures against the reference summaries, if there are any."""
    if REFERENCE_RUN.name not in measured.scores:
        return []
    found = []
    for part, statistic in (("Pearson", pearson), ("Spearman", spearman)):
        for measure in measured.present((*OVERLAPS, *OF_QAGS)):
            name = f"{measure}{OF_REFERENCE}"
            values = (
                measured.derived[name]
                if name in measured.derived
                else measured.values(measure, REFERENCE_RUN.name)
            )
            figure = bootstrap(statistic, measured.labels, values, measured.clusters())
            found.append(known.row(part, name, figure))
    return found


def _annotators(measured: Measured) -> ResultTable:
    """Compare the annotators of QAGS with each other, sentence by sentence."""
    known = published(measured.dataset.name, "agreement")
    votes = [(item.cluster, *counts) for item in measured.items for counts in item.facts["votes"]]
    clusters = [cluster for cluster, _, _ in votes]
    yes, no = (np.array([one[place] for one in votes], dtype=float) for place in (1, 2))
    rows = [known.row("Krippendorff's alpha", "people", bootstrap(alpha_of_two, yes, no, clusters))]
    note = "Of the votes on single sentences, for nominal values; n is the number of sentences."
    return make_table("Agreement of annotators", "Krippendorff's alpha", rows, known, note)
