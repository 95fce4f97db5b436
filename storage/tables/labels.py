"""Tables of people's judgements: the samples that were drawn for them, and what the forms say.

Nothing in them is overwritten: each draw and each reading of a form is a file of its own.
"""

import pyarrow as pa

from qsquared.storage.tables.columns import FLAG, INT, PAIR_ID, REAL, TEXT, Column, Table

_TIME = pa.timestamp("us", tz="UTC")
_DRAW = Column("draw", TEXT, "Name of the draw.")

DRAWS = Table(
    "draws",
    "One row for each distinct reply that a draw of `q2 label draw` could have drawn.",
    (
        _DRAW,
        Column("drawn_at", _TIME, "When it was drawn."),
        Column(
            "purpose",
            TEXT,
            "`rate`, or `hardest` or `disagreement`, which no estimate counts.",
        ),
        Column("measure", TEXT, "The value that orders the replies (see the view `measures`)."),
        Column("configuration", TEXT, "Hash of everything that decides that value."),
        PAIR_ID,
        Column("score", REAL, "The value, 0 to 1.", "the reply has none"),
        Column("turns", INT, "How many of the selected turns gave the reply."),
        Column("chance", REAL, "Probability that the draw takes it; 0 where none is known."),
        Column("drawn", FLAG, "Whether the draw took it."),
        Column("overlap", FLAG, "Whether a second annotator was to judge it, too."),
        Column(
            "free",
            FLAG,
            "Whether the draw could take it: it was not judged yet in a draw by the same scores.",
            "the draw left out all that had been drawn before, as older versions did",
            later=True,
        ),
    ),
)

LABELS = Table(
    "labels",
    "One row for each judgement of an annotator on a reply, as `q2 label read` read it.",
    (
        _DRAW,
        PAIR_ID,
        Column("annotator", TEXT, "The annotator's name."),
        Column("verdict", TEXT, "`consistent` or `inconsistent`."),
        Column("spans", TEXT, "The words that the annotator marked, as JSON.", "none was marked"),
        Column("form", TEXT, "Path of the form."),
        Column("form_version", INT, "Version of the form and its guidelines."),
        Column("read_at", _TIME, "When the form was read."),
    ),
)

LABEL_REJECTS = Table(
    "label_rejects",
    "One row for each row of a form that is no judgement of this store.",
    (
        Column("form", TEXT, "Path of the form."),
        Column("line", INT, "Line in the form, from 1."),
        Column("reason", TEXT, "Why it was not taken, as a sentence."),
        Column("raw", TEXT, "The row as JSON, at most 500 characters."),
        Column("read_at", _TIME, "When the form was read."),
    ),
)

LABEL_TABLES = (DRAWS, LABELS, LABEL_REJECTS)
