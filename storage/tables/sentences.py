"""Tables of the sentences of replies: plain text and kinds, entailment, and scores."""

from qsquared.storage.tables.columns import (
    ERROR,
    FAILED,
    INT,
    INTS,
    PAIR_ID,
    REAL,
    TEXT,
    Column,
    Table,
)

SENTENCE = Column("sentence", INT, "Position of the sentence in its reply, from 0.")
_KIND = (
    "`claim`, `refusal`, `yes_or_no` (a bare yes or no claims what the user asked), `question`, "
    "`apology`, `offer`, `thanks`, `greeting`, `sign_off`, `acknowledgement`, `disclaimer`, `heading`, "
    "`source`, `symbols` (the reply has no word), or `reply` (the "
    "whole reply, read as logged)."
)

SENTENCES = Table(
    "sentences",
    "Sentences of each reply in plain text: without Markdown, HTML, emoji and citation marks. "
    "Questions are asked about its claims. With the parameter `sentences` off the whole reply is "
    "one claim, as it was logged.",
    (
        PAIR_ID,
        SENTENCE,
        Column("start", INT, "First character of the sentence in the logged reply."),
        Column("end", INT, "Character after it in the logged reply."),
        Column("text", TEXT, "The sentence in plain text."),
        Column("kind", TEXT, _KIND),
        Column(
            "claim_start",
            INT,
            "First character of the claim in `text`, behind a lead-in such as *According to our "
            "help article,*.",
        ),
        Column("claim_end", INT, "Character after the claim, before an attribution at the end."),
        Column(
            "runs",
            INTS,
            "The map of `text` to the logged reply as runs of four numbers: first character in "
            "`text`, first logged character, length in `text`, logged length. Where the lengths are "
            "equal, characters stand for each other one by one, else all for all; characters in no "
            "run were added.",
        ),
        ERROR,
    ),
)

SENTENCE_ENTAILMENT = Table(
    "sentence_entailment",
    "Whether the knowledge entails each claim of a reply, by the NLI model. Long knowledge is read in "
    "the sentences that speak of the claim.",
    (
        PAIR_ID,
        SENTENCE,
        Column("nli_label", TEXT, "`entailment`, `neutral` or `contradiction`.", FAILED),
        Column("entailment", REAL, "Probability of entailment, 0 to 1.", FAILED),
        Column("neutral", REAL, "Probability of neutral, 0 to 1.", FAILED),
        Column("contradiction", REAL, "Probability of contradiction, 0 to 1.", FAILED),
        ERROR,
    ),
)

SENTENCE_SCORES = Table(
    "sentence_scores",
    "Score of each sentence of a reply: Q² over the questions about it, and whether the knowledge "
    "entails it.",
    (
        PAIR_ID,
        SENTENCE,
        Column("kind", TEXT, "Kind of the sentence, as in `sentences`.", FAILED),
        Column(
            "q2",
            REAL,
            "Mean score of the valid questions about its spans, 0 to 1.",
            "no claim, or no valid question about it",
        ),
        Column(
            "q2_without_nli",
            REAL,
            "The same with token F1 alone, 0 to 1.",
            "no claim, or no valid question about it",
        ),
        Column("questions", INT, "Number of valid questions about it.", FAILED),
        Column(
            "entailment",
            REAL,
            "Probability that the knowledge entails the claim, 0 to 1.",
            "no claim, or the reply was read as logged",
        ),
        Column(
            "nli_label",
            TEXT,
            "`entailment`, `neutral` or `contradiction`: the knowledge against the claim.",
            "no claim, or the reply was read as logged",
        ),
        Column(
            "verdict",
            TEXT,
            "The gravest verdict of its questions; without any, that of the NLI model: `supported`, "
            "`contradicted`, or `partial` for neutral.",
            "no claim, or nothing decides it",
        ),
        Column(
            "support",
            REAL,
            "Probability that the knowledge supports the claim, by the judge and the questions about "
            "it, 0 to 1.",
            "no claim, or it was written before there was the column",
            later=True,
        ),
        ERROR,
    ),
    retired=("refusal_answerable",),
)
