"""Tables of a log (turns, rejects) and of the units that are scored (pairs, situations)."""

import pyarrow as pa

from qsquared.storage.tables.columns import INT, PAIR_ID, TEXT, TEXTS, Column, Table

_INPUT = Column("input", TEXT, "Fingerprint of the log file's content and of how it was read.")
_LINE = Column(
    "line",
    pa.int64(),
    "Line in the file where the row begins (row number in Parquet), from 1.",
)

TURNS = Table(
    "turns",
    "One row for each reply in a log; in a log of conversations or traces a row may hold many.",
    (
        _INPUT,
        Column("position", pa.int64(), "Ordinal of the turn in its file, from 0, rejects counted."),
        _LINE,
        Column(
            "id",
            TEXT,
            "The log's id of the turn, or `<file name>:<line>` where it has none, with `#1`, `#2`, … "
            "where several turns stand in one row.",
        ),
        Column("conversation_id", TEXT, "The log's id of the conversation.", "the log has none"),
        Column(
            "turn", INT, "Position of the turn in its conversation, as logged.", "the log has none"
        ),
        Column(
            "timestamp",
            pa.timestamp("us", tz="UTC"),
            "When the reply was given; times without a zone are read as UTC.",
            "the log has none",
        ),
        Column(
            "history",
            TEXTS,
            "The conversation before the reply, oldest first; empty if not logged.",
        ),
        Column(
            "knowledge",
            TEXTS,
            "The passages that the reply was given, in order; blank ones left out. What the log tells "
            "of each besides its text stands in the metadata, under `knowledge_sources`.",
        ),
        Column("response", TEXT, "The chatbot's reply, exactly as logged."),
        Column("metadata", TEXT, "Every other field of the log row, as one JSON object."),
        Column(
            "pair_id",
            TEXT,
            "The pair that this turn reduces to.",
            "there is nothing to score (see status)",
        ),
        Column(
            "status",
            TEXT,
            "`empty_response`, `no_knowledge`, or `no_claim` (no knowledge, and none needed).",
            "the pair's status in `scores` holds",
        ),
        Column(
            "reason",
            TEXT,
            "Why there is nothing to score, as a sentence.",
            "there is something to score",
        ),
    ),
)

REJECTS = Table(
    "rejects",
    "One row for each row of a log that could not be read as a turn.",
    (
        _INPUT,
        Column("position", pa.int64(), "Ordinal of the row in its file, from 0."),
        _LINE,
        Column("reason", TEXT, "Why the row could not be read, as a sentence."),
        Column("raw", TEXT, "The beginning of the row, at most 500 characters."),
    ),
)

PAIRS = Table(
    "pairs",
    "The distinct (response, knowledge) texts, each in exactly one shard.",
    (
        PAIR_ID,
        Column("response", TEXT, "The reply."),
        Column("knowledge", TEXTS, "The passages, at least one, none blank."),
    ),
)

SITUATIONS = Table(
    "situations",
    "The distinct (previous turn, response, knowledge) texts, each in exactly one shard; only metrics "
    "that read the previous turn make them.",
    (
        Column("situation_id", TEXT, "Hash that names the pair after this turn."),
        PAIR_ID,
        Column("previous", TEXT, "The turn before the reply.", "the log has no history"),
        Column("response", TEXT, "The reply."),
        Column("knowledge", TEXTS, "The passages, at least one, none blank."),
    ),
)
