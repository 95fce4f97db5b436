"""All tables of a store.

Schemas are never inferred: a table that does not fit is an error in the program.
``docs/data-dictionary.md`` is generated from here.
"""

from qsquared.storage.tables.baselines import BASELINE_TABLES, ENTAILMENT_TABLES
from qsquared.storage.tables.begin import BEGIN
from qsquared.storage.tables.glue import GLUE_TABLES
from qsquared.storage.tables.labels import LABEL_TABLES
from qsquared.storage.tables.log import PAIRS, REJECTS, SITUATIONS, TURNS
from qsquared.storage.tables.q2 import Q2_TABLES
from qsquared.storage.tables.qags import QAGS_TABLES
from qsquared.storage.tables.sentences import SENTENCE_ENTAILMENT, SENTENCE_SCORES, SENTENCES

STAGE_TABLES = (
    SENTENCES,
    *Q2_TABLES,
    SENTENCE_ENTAILMENT,
    SENTENCE_SCORES,
    *ENTAILMENT_TABLES,
    *BASELINE_TABLES,
    *QAGS_TABLES,
    BEGIN,
    *GLUE_TABLES,
)
MEASURED = tuple(table for table in STAGE_TABLES if table.measures)
TABLES = (TURNS, REJECTS, PAIRS, SITUATIONS, *STAGE_TABLES, *LABEL_TABLES)
