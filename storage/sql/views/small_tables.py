"""Tables of `q2 sql` that the program fills from the small files: inputs, runs, configurations."""

from qsquared.storage.sql.views.view import PROFILE, View

INPUTS = View(
    "inputs",
    "One row for each log file in the store.",
    (
        ("input", "Fingerprint of the content and of how it was read.", ""),
        ("source", "Path of the log.", ""),
        ("turns", "Rows that are turns.", ""),
        ("rejects", "Rows that could not be read.", ""),
        ("limit", "Number of turns after which the reading stopped.", "read whole"),
        ("ingested_at", "When it was read.", ""),
    ),
)

RUNS = View(
    "runs",
    "One row for each run of `q2 score`.",
    (
        ("run_id", "Name of the run; it begins with its time.", ""),
        ("started_at", "When it began.", ""),
        ("profile", "The profile that was asked for.", ""),
        ("metric", "The metric.", ""),
        ("status", "`running`, `completed`, `failed`, `interrupted` or `killed`.", ""),
        ("turns", "Turns that it was about.", "it did not complete"),
        ("mean_q2", "Mean Q² over those that have a score.", "it did not complete, or none has"),
        ("seconds", "How long it took.", "unknown"),
        ("summary", "Its whole record as JSON: models, parameters, configuration, counts.", ""),
    ),
)

CONFIGURATIONS = View(
    "configurations",
    "One row for each metric and profile whose scores are shown.",
    (
        *PROFILE,
        ("configuration", "Hash of everything that decides a score.", ""),
        ("parameters", "The metric's parameters as JSON.", ""),
        ("completed_at", "When a run last completed with it.", "none did"),
    ),
)
