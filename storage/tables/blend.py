"""The tables of the metrics ``e2e_nli`` and ``blend`` (see ``schemas``)."""

from __future__ import annotations

from qsquared.storage.tables.columns import REAL, TEXT, Column, Table

_PAIR = Column("pair_id", TEXT, "Hash that names the distinct (response, knowledge) text.")
_ERROR = Column("error", TEXT, "What failed on this row, as a sentence.", "nothing failed")
_FAILED = "the row failed (see error)"

NLI = Table(
    "nli",
    "Whether the knowledge entails the whole response, one row for each pair (metric `e2e_nli`).",
    (
        _PAIR,
        Column(
            "nli",
            REAL,
            "Expected score of end-to-end NLI: P(entailment) + P(neutral) / 2, 0 to 1.",
            _FAILED,
        ),
        Column("nli_label", TEXT, "`entailment`, `neutral` or `contradiction`.", _FAILED),
        Column("nli_entailment", REAL, "Probability of entailment.", _FAILED),
        Column("nli_neutral", REAL, "Probability of neutral.", _FAILED),
        Column("nli_contradiction", REAL, "Probability of contradiction.", _FAILED),
        _ERROR,
    ),
    measures=("nli",),
)

E2E_NLI = Table(
    "e2e_nli",
    "The end-to-end NLI baseline (Q², section 4), one row for each pair (metric `e2e_nli`).",
    (
        _PAIR,
        Column("e2e_nli", REAL, "Entailment 1, neutral 0.5, contradiction 0.", _FAILED),
        _ERROR,
    ),
    measures=("e2e_nli",),
)

BLEND = Table(
    "blend",
    "The mean of Q², end-to-end NLI and token overlap, one row for each pair (metric `blend`).",
    (
        _PAIR,
        Column("blend", REAL, "Mean of the next three columns, 0 to 1.", _FAILED),
        Column("q2", REAL, "Q², the fallback included, 0 to 1.", _FAILED),
        Column("nli", REAL, "Expected score of end-to-end NLI, 0 to 1.", _FAILED),
        Column("token_f1", REAL, "Token F1 of response and knowledge, 0 to 1.", _FAILED),
        _ERROR,
    ),
    measures=("blend", "token_f1"),
)
