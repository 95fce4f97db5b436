"""All tables of a store, as ``tables.toml`` describes them.

Schemas are never inferred: a table that does not fit is an error in the program.
``docs/data-dictionary.md`` is generated from here.
"""

import tomllib
from importlib.resources import files
from typing import Any

from qsquared.storage.tables.columns import (
    FLAG,
    INT,
    INTS,
    LONG,
    REAL,
    TEXT,
    TEXTS,
    TIME,
    Column,
    Table,
)

_TYPES = {
    "text": TEXT,
    "texts": TEXTS,
    "int": INT,
    "ints": INTS,
    "long": LONG,
    "real": REAL,
    "flag": FLAG,
    "time": TIME,
}


def _read() -> dict[str, Table]:
    described = files("qsquared.storage.tables").joinpath("tables.toml").read_text(encoding="utf-8")
    sections: dict[str, dict[str, Any]] = tomllib.loads(described)
    shared = sections.pop("shared")
    return {name: _table(name, section, shared) for name, section in sections.items()}


def _table(name: str, section: dict[str, Any], shared: dict[str, list[str]]) -> Table:
    later = section.get("later", ())
    columns = []
    for column, given in section["columns"].items():
        kind, meaning, *null = given or shared[column]
        columns.append(Column(column, _TYPES[kind], meaning, "".join(null), column in later))
    measures, retired = (tuple(section.get(key, ())) for key in ("measures", "retired"))
    return Table(name, section["about"], tuple(columns), measures, retired)


_NAMED = _read()
TURNS = _NAMED["turns"]
REJECTS = _NAMED["rejects"]
PAIRS = _NAMED["pairs"]
SITUATIONS = _NAMED["situations"]
SENTENCES = _NAMED["sentences"]
SENTENCE_ENTAILMENT = _NAMED["sentence_entailment"]
SENTENCE_SCORES = _NAMED["sentence_scores"]
SPANS = _NAMED["spans"]
QUESTIONS = _NAMED["questions"]
ROUNDTRIP = _NAMED["roundtrip"]
ANSWERS = _NAMED["answers"]
COMPARISONS = _NAMED["comparisons"]
SCORES = _NAMED["scores"]
NLI = _NAMED["nli"]
E2E_NLI = _NAMED["e2e_nli"]
BLEND = _NAMED["blend"]
OVERLAP = _NAMED["overlap"]
BLEU = _NAMED["bleu"]
ROUGE = _NAMED["rouge"]
METEOR = _NAMED["meteor"]
BERTSCORE = _NAMED["bertscore"]
CONSISTENCY = _NAMED["consistency"]
QAGS_QUESTIONS = _NAMED["qags_questions"]
QAGS_ANSWERS = _NAMED["qags_answers"]
QAGS = _NAMED["qags"]
BEGIN = _NAMED["begin"]
GLUE_INDICATORS = _NAMED["indicators"]
GLUE = _NAMED["glue"]
DRAWS = _NAMED["draws"]
LABELS = _NAMED["labels"]
LABEL_REJECTS = _NAMED["label_rejects"]

LABEL_TABLES = (DRAWS, LABELS, LABEL_REJECTS)
"""The tables of people's judgements; each draw and each reading of a form is a file of its own."""

TABLES = tuple(_NAMED.values())
STAGE_TABLES = tuple(
    table for table in TABLES if table not in {TURNS, REJECTS, PAIRS, SITUATIONS, *LABEL_TABLES}
)
MEASURED = tuple(table for table in STAGE_TABLES if table.measures)
OF_CLAIMS = (NLI, E2E_NLI, BLEND, CONSISTENCY)
"""Tables whose rows have no value, and no error, where the reply claims nothing."""
