"""Table of BEGIN's classes (Dziri et al. 2021, first version)."""

from qsquared.storage.tables.columns import ERROR, FAILED, PAIR_ID, REAL, TEXT, Column, Table

BEGIN = Table(
    "begin",
    "What kind of reply each response is to its knowledge and the turn before it (metric `begin`).",
    (
        Column(
            "situation_id",
            TEXT,
            "Hash that names the distinct (turn before, response, knowledge).",
        ),
        PAIR_ID,
        Column(
            "label",
            TEXT,
            "The most probable class: `entailment`, `hallucination`, `off-topic`, `generic` or "
            "`contradiction`.",
            FAILED,
        ),
        Column(
            "label3",
            TEXT,
            "The most probable of `entailment`, `neutral` (hallucination, off-topic and generic "
            "together) and `contradiction`.",
            FAILED,
        ),
        Column(
            "begin_entailment", REAL, "Probability that the knowledge entails it, 0 to 1.", FAILED
        ),
        Column(
            "p_hallucination",
            REAL,
            "Probability that it tells what the knowledge does not, 0 to 1.",
            FAILED,
        ),
        Column(
            "p_off_topic",
            REAL,
            "Probability that it does not go on with the turn before, 0 to 1.",
            FAILED,
        ),
        Column(
            "p_generic", REAL, "Probability that it says nothing of the matter, 0 to 1.", FAILED
        ),
        Column(
            "p_contradiction",
            REAL,
            "Probability that the knowledge contradicts it, 0 to 1.",
            FAILED,
        ),
        Column(
            "decided_by",
            TEXT,
            "`classifier`, or `copy`: its claims are sentences of the knowledge, word for word, so the "
            "classifier was not asked and the probability of entailment is 1.",
            f"{FAILED}, or it was written before there was the column",
            later=True,
        ),
        ERROR,
    ),
    measures=("begin_entailment",),
)
