"""Tables of the metric ``qags`` (Wang et al. 2020); "response" is the paper's summary."""

from qsquared.storage.tables.columns import (
    ERROR,
    FAILED,
    FLAG,
    INT,
    PAIR_ID,
    REAL,
    TEXT,
    Column,
    Table,
)

_SPAN_INDEX = Column(
    "span_index", INT, "Which answer candidate of its response, from 0.", "the whole pair failed"
)
_RANK = Column("rank", INT, "Rank of the question for its candidate, 1 is best.", "it failed")

QAGS_QUESTIONS = Table(
    "qags_questions",
    "Questions on the answer candidates of each response, best first (QAGS, section 4).",
    (
        PAIR_ID,
        _SPAN_INDEX,
        _RANK,
        Column("candidate", TEXT, "The named entity or noun phrase.", FAILED),
        Column("question", TEXT, "The generated question.", FAILED),
        Column("log_prob", REAL, "Length-normalised log-probability.", "the generator has none"),
        Column(
            "reason",
            TEXT,
            "`asked`, or why not: `duplicate` (of an earlier question for the same candidate) or `short` (under three tokens).",
            FAILED,
        ),
        ERROR,
    ),
)

QAGS_ANSWERS = Table(
    "qags_answers",
    "Each question answered on the response and on the knowledge (QAGS, section 4).",
    (
        PAIR_ID,
        _SPAN_INDEX,
        _RANK,
        Column("kept", FLAG, "Whether the response itself gives the candidate.", FAILED),
        Column("reason", TEXT, "`kept`, `no_answer` or `mismatch`.", FAILED),
        Column("response_answer", TEXT, "The answer on the response.", "no answer"),
        Column("knowledge_answer", TEXT, "The answer on the knowledge.", "no answer, or not kept"),
        Column("token_f1", REAL, "SQuAD token F1 of the two answers, 0 to 1.", "not kept"),
        Column("exact_match", FLAG, "Whether they are equal as SQuAD has it.", "not kept"),
        ERROR,
    ),
)

QAGS = Table(
    "qags",
    "QAGS of each pair (QAGS, section 4; metric `qags`).",
    (
        PAIR_ID,
        Column("qags", REAL, "Mean token F1 over K questions, 0 to 1.", "not scored (see status)"),
        Column(
            "qags_unpadded",
            REAL,
            "The same over the questions there are, none drawn twice.",
            "not scored",
        ),
        Column("qags_exact_match", REAL, "Share of equal answers among the K.", "not scored"),
        Column("status", TEXT, "`scored`, `no_question` or `error`."),
        Column("reason", TEXT, "Why the pair has no score, as a sentence.", "it has one"),
        Column("questions", INT, "Questions that were kept, at most K."),
    ),
    measures=("qags", "qags_unpadded", "qags_exact_match"),
)

QAGS_TABLES = (QAGS_QUESTIONS, QAGS_ANSWERS, QAGS)
