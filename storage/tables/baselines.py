"""The tables of the baselines that Q² and QAGS are compared with, and of a learned model."""

from __future__ import annotations

from qsquared.storage.tables.columns import INT, REAL, TEXT, Column, Table

_PAIR = Column("pair_id", TEXT, "Hash that names the distinct (response, knowledge) text.")
_ERROR = Column("error", TEXT, "What failed on this row, as a sentence.", "nothing failed")
_FAILED = "the row failed (see error)"
_JOINED = "passages of knowledge are joined by a space."

OVERLAP = Table(
    "overlap",
    f"Token overlap of response and knowledge (metric `overlap`); {_JOINED}",
    (
        _PAIR,
        Column("overlap_f1", REAL, "Token F1 after cleaning as in Q², 0 to 1.", _FAILED),
        _ERROR,
    ),
    measures=("overlap_f1",),
)

BLEU = Table(
    "bleu",
    f"Sentence BLEU of the response against the knowledge (metric `bleu`); {_JOINED}",
    (_PAIR, Column("bleu", REAL, "BLEU-4, exponential smoothing, 0 to 1.", _FAILED), _ERROR),
    measures=("bleu",),
)

ROUGE = Table(
    "rouge",
    f"ROUGE F of the response against the knowledge, stemmed (metric `rouge`); {_JOINED}",
    (
        _PAIR,
        Column("rouge1", REAL, "ROUGE-1 F, 0 to 1.", _FAILED),
        Column("rouge2", REAL, "ROUGE-2 F, 0 to 1.", _FAILED),
        Column("rouge_l", REAL, "ROUGE-L F, 0 to 1.", _FAILED),
        _ERROR,
    ),
    measures=("rouge1", "rouge2", "rouge_l"),
)

METEOR = Table(
    "meteor",
    f"METEOR of the response against the knowledge (metric `meteor`); {_JOINED}",
    (
        _PAIR,
        Column("meteor", REAL, "METEOR by equal words and stems, no synonyms, 0 to 1.", _FAILED),
        _ERROR,
    ),
    measures=("meteor",),
)

BERTSCORE = Table(
    "bertscore",
    f"BERTScore of the response against the knowledge (metric `bertscore`); {_JOINED}",
    (
        _PAIR,
        Column("bertscore", REAL, "F1 of the greedy matches, not rescaled, -1 to 1.", _FAILED),
        Column("bertscore_precision", REAL, "How much of the response is matched.", _FAILED),
        Column("bertscore_recall", REAL, "How much of the knowledge is matched.", _FAILED),
        _ERROR,
    ),
    measures=("bertscore", "bertscore_precision"),
)

CONSISTENCY = Table(
    "consistency",
    "A learned consistency model on the whole response (metric `consistency`).",
    (
        _PAIR,
        Column("consistency", REAL, "Probability that the knowledge supports it, 0 to 1.", _FAILED),
        Column("pieces", INT, "Number of (knowledge, response) pieces that were read.", _FAILED),
        _ERROR,
    ),
    measures=("consistency",),
)

BASELINE_TABLES = (OVERLAP, BLEU, ROUGE, METEOR, BERTSCORE, CONSISTENCY)
