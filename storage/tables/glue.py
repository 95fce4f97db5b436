"""Tables of the GLUE proxy indicators (Nedelchev et al. 2021): one row for each situation."""

from qsquared.method.glue.indicators import BOUNDS, INDICATORS, KINDS
from qsquared.storage.tables.columns import ERROR, FLAG, PAIR_ID, REAL, TEXT, Column, Table

_SITUATION = Column("situation_id", TEXT, "Names the situation: the pair after its previous turn.")
_MISSING = "the profile has no model for the task, there is no previous turn, or the row failed"

_MEANINGS = {
    "cola": "that it is acceptable English (CoLA)",
    "sst2": "that it is positive (SST-2)",
    "mrpc": "that both mean the same (MRPC)",
    "qqp": "that both ask the same (QQP)",
    "stsb": "how alike both are, 0 to 5 and a little beyond (STS-B)",
    "qnli": "that the reply answers it (QNLI)",
    "rte": "that the reply follows from it (RTE)",
}
_OF = {
    "single": "reply alone",
    "context": "reply after the previous turn",
    "fact": "reply beside the knowledge",
}


def _meaning(name: str) -> str:
    kind = next(kind for kind, names in KINDS.items() if name in names)
    said = _MEANINGS[name.rpartition("_")[2]]
    how = "" if BOUNDS[name][1] > 1 else "probability "
    return f"Of the {_OF[kind]}: {how}{said}."


GLUE_INDICATORS = Table(
    "indicators",
    "What models tuned on GLUE say of a reply, alone, after the previous turn and beside the "
    "knowledge (Nedelchev et al. 2021, section 4; passages are joined by a space).",
    (
        _SITUATION,
        PAIR_ID,
        *(Column(name, REAL, _meaning(name), _MISSING) for name in INDICATORS),
        Column("cut", FLAG, "Whether a text was longer than a model's window, and cut.", "failed"),
        ERROR,
    ),
)

GLUE = Table(
    "glue",
    "The indicators rescaled to 0 to 1, and their combination (metric `glue`).",
    (
        _SITUATION,
        PAIR_ID,
        Column(
            "glue",
            REAL,
            "The regression's prediction of people's rating; 0 to 1 where it was fitted.",
            "there is no regression, or an indicator that it needs is missing (see status)",
        ),
        *(
            Column(f"glue_{name}", REAL, f"`{name}` within its range, 0 to 1.", _MISSING)
            for name in INDICATORS
        ),
        Column("status", TEXT, "`scored`, `no_regression`, `missing_indicator` or `error`."),
        Column("reason", TEXT, "Why there is no combination, as a sentence.", "there is one"),
    ),
    measures=("glue", *(f"glue_{name}" for name in INDICATORS)),
)

GLUE_TABLES = (GLUE_INDICATORS, GLUE)
