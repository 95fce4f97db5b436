"""Tables of the steps of Q² (Honovich et al. 2021, section 2), from spans to scores."""

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
    "span_index", INT, "Position of the span in its response, from 0.", "the whole pair failed"
)
_RANK = Column(
    "rank", INT, "Rank of the question for its span, 1 is best.", "the whole pair failed"
)

SPANS = Table(
    "spans",
    "Informative spans of each response: named entities and noun chunks (Q², section 2).",
    (
        PAIR_ID,
        _SPAN_INDEX,
        Column("start", INT, "First character of the span in the logged response.", FAILED),
        Column("end", INT, "Character after the span in the logged response.", FAILED),
        Column(
            "text",
            TEXT,
            "The span in plain text; `response[start:end]`, where neither markup nor a typographic "
            "quotation mark stands within it.",
            FAILED,
        ),
        Column("kind", TEXT, "`entity` or `noun_chunk`.", FAILED),
        Column("label", TEXT, "Entity type (OntoNotes).", "not an entity"),
        Column("sentence", INT, "The sentence that the span begins in.", FAILED, later=True),
        Column(
            "plain_start",
            INT,
            "First character of the span in the plain text of all claims.",
            FAILED,
            later=True,
        ),
        Column("plain_end", INT, "Character after it there.", FAILED, later=True),
        ERROR,
    ),
)

QUESTIONS = Table(
    "questions",
    "Questions generated for each span, best first (Q², section 2).",
    (
        PAIR_ID,
        _SPAN_INDEX,
        _RANK,
        Column("question", TEXT, "The generated question.", FAILED),
        Column(
            "log_prob",
            REAL,
            "Length-normalised log-probability, at most 0.",
            "the generator has none",
        ),
        Column("form", TEXT, "`beam`, or the rule that made the question.", FAILED),
        ERROR,
    ),
)

ROUNDTRIP = Table(
    "roundtrip",
    "Each question answered on the response, and whether it was kept (Q², section 2).",
    (
        PAIR_ID,
        _SPAN_INDEX,
        _RANK,
        Column("kept", FLAG, "Whether the question is valid and asked on the knowledge.", FAILED),
        Column(
            "reason",
            TEXT,
            "`kept`, or why not: `mismatch`, `no_answer`, `personal`, `not_needed` (variant "
            "*single* had already found a valid question for the span, it ranks below the "
            "parameter `questions_per_span`, or its sentence has the parameter "
            "`questions_per_sentence` of them or one on the same words), or `not_read` (the question "
            "is too long for the QA model's window, or there is nothing to read).",
            FAILED,
        ),
        Column(
            "response_answer",
            TEXT,
            "The QA model's answer on the response (on the sentences around the span, where the "
            "response has more than the parameter `response_characters`).",
            "no answer, or not asked",
        ),
        Column(
            "response_start",
            INT,
            "First character of that answer in the response.",
            "no answer, or not asked",
        ),
        Column("response_end", INT, "Character after it.", "no answer, or not asked"),
        Column("answer_score", REAL, "Score of the best span (logit sum).", "not asked"),
        Column("no_answer_score", REAL, "Score of the no-answer choice (logit sum).", "not asked"),
        ERROR,
    ),
)

ANSWERS = Table(
    "answers",
    "Each valid question answered on the knowledge (Q², section 2).",
    (
        PAIR_ID,
        _SPAN_INDEX,
        _RANK,
        Column("knowledge_answer", TEXT, "The QA model's answer on the knowledge.", "no answer"),
        Column("passage", INT, "Index of the passage that holds the answer, from 0.", "no answer"),
        Column(
            "knowledge_start", INT, "First character of the answer in its passage.", "no answer"
        ),
        Column("knowledge_end", INT, "Character after it.", "no answer"),
        Column(
            "answer_score",
            REAL,
            "Score of the best span of the chosen passage, or of the one nearest to an answer (logit sum).",
            FAILED,
        ),
        Column(
            "no_answer_score",
            REAL,
            "Score of the no-answer choice on that passage (logit sum).",
            FAILED,
        ),
        Column(
            "windows",
            INT,
            "Windows that the knowledge was read in, all passages together.",
            FAILED,
        ),
        ERROR,
    ),
)

COMPARISONS = Table(
    "comparisons",
    "The two answers to each valid question compared (Q², section 2).",
    (
        PAIR_ID,
        _SPAN_INDEX,
        _RANK,
        Column(
            "token_f1",
            REAL,
            "Token F1 of span and knowledge answer, 0 to 1; 0 without answer.",
            FAILED,
        ),
        Column("exact_match", FLAG, "Whether the two are equal after cleaning.", FAILED),
        Column(
            "nli_label",
            TEXT,
            "`entailment`, `neutral` or `contradiction`.",
            "NLI was not asked: F1 = 1, no answer, or decided by value",
        ),
        Column("nli_entailment", REAL, "Probability of entailment, 0 to 1.", "NLI was not asked"),
        Column("nli_neutral", REAL, "Probability of neutral, 0 to 1.", "NLI was not asked"),
        Column(
            "nli_contradiction", REAL, "Probability of contradiction, 0 to 1.", "NLI was not asked"
        ),
        Column("score", REAL, "The question's Q² score, 0 to 1.", FAILED),
        Column(
            "score_without_nli", REAL, "The question's score by token F1 alone, 0 to 1.", FAILED
        ),
        Column(
            "verdict",
            TEXT,
            "`supported`, `contradicted`, `no_answer` (the question about the span finds no answer in "
            "the knowledge, or for a pronoun another one), or `partial` (NLI neutral: token F1 is the score; or by value, see "
            "`value_relation`). Supported scores 1, contradicted and no_answer 0. With a second look at "
            "its sentence these score at least the sentence's probability of entailment, and what "
            "is supported loses half the sentence's probability of contradiction, by equal answers "
            "its cube from 0.3 on.",
            FAILED,
        ),
        Column(
            "decided_by",
            TEXT,
            "`values` (the answers' values, before the judge is asked), `tokens` (equal after "
            "cleaning), `nli`, `no_answer`, or `sentence` (the answers differ or one is missing, and "
            "the knowledge entails the sentence as a whole).",
            f"{FAILED}, or it was written before there was the column",
            later=True,
        ),
        Column(
            "value_relation",
            TEXT,
            "How the reply's value relates to the knowledge's: `equal`; `within` (true by it, as "
            "*more than 50* by 51); `members` (each member of a list is one of the knowledge's); "
            "`compatible` (more exact than it, score 0.5 or token F1 if higher); `some_members` (score: "
            "their share); `different` (score 0).",
            "not decided by value",
            later=True,
        ),
        Column(
            "in_knowledge",
            FLAG,
            "Whether the words of the span stand in the knowledge, after cleaning, whatever the "
            "question about it found.",
            f"{FAILED}, or it was written before there was the column",
            later=True,
        ),
        ERROR,
    ),
)

SCORES = Table(
    "scores",
    "One row for each pair: the metric and how it came about (Q², section 2).",
    (
        PAIR_ID,
        Column(
            "q2",
            REAL,
            "Q²: mean score over the valid questions, or the fallback, 0 to 1.",
            "not scored (see status)",
        ),
        Column(
            "q2_without_nli",
            REAL,
            "The same with token F1 of the answers alone, 0 to 1; of a fallback its NLI verdict, as `q2`.",
            "not scored (see status)",
        ),
        Column(
            "status",
            TEXT,
            "`scored`, `fallback_nli` (no valid question), `no_claim` (the reply claims nothing) or "
            "`error`.",
        ),
        Column(
            "reason",
            TEXT,
            "Why the pair was not scored by questions, as a sentence.",
            "scored by questions",
        ),
        Column("spans", INT, "Number of informative spans."),
        Column("questions_generated", INT, "Number of questions generated."),
        Column("questions", INT, "Number of valid questions (they make the mean)."),
        Column("no_answer", INT, "Valid questions that the knowledge does not answer."),
        Column(
            "contradicted",
            INT,
            "Valid questions whose answers contradict each other, by NLI or by value.",
        ),
        Column("nli_label", TEXT, "The end-to-end NLI verdict of the fallback.", "not a fallback"),
        Column(
            "reply_kind",
            TEXT,
            "Kind of a reply that claims nothing: the weightiest kind of its sentences.",
            "the reply claims something",
            later=True,
        ),
        Column(
            "worst_sentence",
            INT,
            "The sentence with the lowest Q² (see `sentence_scores`).",
            "not scored by questions, or read as logged",
            later=True,
        ),
        Column(
            "worst_sentence_q2",
            REAL,
            "Its Q², 0 to 1.",
            "not scored by questions, or read as logged",
            later=True,
        ),
        Column(
            "support",
            REAL,
            "Probability that the knowledge supports all that the reply says, by the judge and the "
            "questions about its sentences, 0 to 1.",
            "not scored, read as logged, or written before there was the column",
            later=True,
        ),
    ),
    measures=("q2", "q2_without_nli", "support"),
    retired=("refusal_answerable",),
)

Q2_TABLES = (SPANS, QUESTIONS, ROUNDTRIP, ANSWERS, COMPARISONS, SCORES)
