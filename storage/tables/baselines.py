"""Tables of the baselines that Q² and QAGS are compared with, end-to-end NLI and the blend included."""

from qsquared.storage.tables.columns import ERROR, FAILED, INT, PAIR_ID, REAL, TEXT, Column, Table

_JOINED = "passages of knowledge are joined by a space."
_NONE = f"{FAILED}, or the reply claims nothing"

OVERLAP = Table(
    "overlap",
    f"Token overlap of response and knowledge (metric `overlap`); {_JOINED}",
    (
        PAIR_ID,
        Column("overlap_f1", REAL, "Token F1 after cleaning as in Q², 0 to 1.", FAILED),
        ERROR,
    ),
    measures=("overlap_f1",),
)

BLEU = Table(
    "bleu",
    f"Sentence BLEU of the response against the knowledge (metric `bleu`); {_JOINED}",
    (PAIR_ID, Column("bleu", REAL, "BLEU-4, exponential smoothing, 0 to 1.", FAILED), ERROR),
    measures=("bleu",),
)

ROUGE = Table(
    "rouge",
    f"ROUGE F of the response against the knowledge, stemmed (metric `rouge`); {_JOINED}",
    (
        PAIR_ID,
        Column("rouge1", REAL, "ROUGE-1 F, 0 to 1.", FAILED),
        Column("rouge2", REAL, "ROUGE-2 F, 0 to 1.", FAILED),
        Column("rouge_l", REAL, "ROUGE-L F, 0 to 1.", FAILED),
        ERROR,
    ),
    measures=("rouge1", "rouge2", "rouge_l"),
)

METEOR = Table(
    "meteor",
    f"METEOR of the response against the knowledge (metric `meteor`); {_JOINED}",
    (
        PAIR_ID,
        Column("meteor", REAL, "METEOR by equal words and stems, no synonyms, 0 to 1.", FAILED),
        ERROR,
    ),
    measures=("meteor",),
)

BERTSCORE = Table(
    "bertscore",
    f"BERTScore of the response against the knowledge (metric `bertscore`); {_JOINED}",
    (
        PAIR_ID,
        Column("bertscore", REAL, "F1 of the greedy matches, not rescaled, -1 to 1.", FAILED),
        Column("bertscore_precision", REAL, "How much of the response is matched.", FAILED),
        Column("bertscore_recall", REAL, "How much of the knowledge is matched.", FAILED),
        ERROR,
    ),
    measures=("bertscore", "bertscore_precision"),
)

CONSISTENCY = Table(
    "consistency",
    "A learned consistency model on the claims of the response (metric `consistency`).",
    (
        PAIR_ID,
        Column("consistency", REAL, "Probability that the knowledge supports it, 0 to 1.", _NONE),
        Column("pieces", INT, "Number of (knowledge, response) pieces that were read.", _NONE),
        ERROR,
    ),
    measures=("consistency",),
)

NLI = Table(
    "nli",
    "Whether the knowledge entails the claims of the response, one row for each pair (metric `e2e_nli`).",
    (
        PAIR_ID,
        Column(
            "nli",
            REAL,
            "Expected score of end-to-end NLI: P(entailment) + P(neutral) / 2, 0 to 1.",
            _NONE,
        ),
        Column("nli_label", TEXT, "`entailment`, `neutral` or `contradiction`.", _NONE),
        Column("nli_entailment", REAL, "Probability of entailment.", _NONE),
        Column("nli_neutral", REAL, "Probability of neutral.", _NONE),
        Column("nli_contradiction", REAL, "Probability of contradiction.", _NONE),
        ERROR,
    ),
    measures=("nli",),
)

E2E_NLI = Table(
    "e2e_nli",
    "The end-to-end NLI baseline (Q², section 5.1), one row for each pair (metric `e2e_nli`).",
    (
        PAIR_ID,
        Column("e2e_nli", REAL, "Entailment 1, neutral 0.5, contradiction 0.", _NONE),
        ERROR,
    ),
    measures=("e2e_nli",),
)

BLEND = Table(
    "blend",
    "The mean of Q², end-to-end NLI and token overlap, one row for each pair (metric `blend`).",
    (
        PAIR_ID,
        Column("blend", REAL, "Mean of the next three columns, 0 to 1.", _NONE),
        Column("q2", REAL, "Q², the fallback included, 0 to 1.", _NONE),
        Column("nli", REAL, "Expected score of end-to-end NLI, 0 to 1.", _NONE),
        Column("token_f1", REAL, "Token F1 of the claims and the knowledge, 0 to 1.", _NONE),
        ERROR,
    ),
    measures=("blend", "token_f1"),
)

ENTAILMENT_TABLES = (NLI, E2E_NLI, BLEND)
BASELINE_TABLES = (OVERLAP, BLEU, ROUGE, METEOR, BERTSCORE, CONSISTENCY)
OF_CLAIMS = (*ENTAILMENT_TABLES, CONSISTENCY)
"""Tables whose rows have no value, and no error, where the reply claims nothing."""
