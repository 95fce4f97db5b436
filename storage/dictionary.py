"""Write the data dictionary from the schemas: ``python -m qsquared.storage.dictionary``."""

from __future__ import annotations

import sys

from qsquared.storage.catalogue import EVIDENCE_MEANING
from qsquared.storage.columns import Table
from qsquared.storage.schemas import STAGE_TABLES, TABLES

_HEAD = """# Data dictionary

Generated from `storage/schemas.py` by `make docs`; do not edit.
Every table is a view of `q2 sql`; NULL never stands for a number.
"""


def _section(table: Table) -> str:
    lines = [f"\n## {table.name}\n", table.meaning]
    if table in STAGE_TABLES:
        lines.append("In SQL the columns `metric` and `profile` stand before these.")
    elif table.name in {"turns", "rejects"}:
        lines.append("In SQL the column `source`, the path of the log, stands before these.")
    lines += ["", "| column | type | meaning | NULL means |", "|---|---|---|---|"]
    lines += [
        f"| `{column.name}` | {column.type} | {column.meaning.replace('|', '·')} | {column.null or 'never'} |"
        for column in table.columns
    ]
    return "\n".join(lines) + "\n"


def data_dictionary() -> str:
    """The dictionary as Markdown."""
    return _HEAD + "".join(_section(table) for table in TABLES) + EVIDENCE_MEANING


if __name__ == "__main__":
    sys.stdout.write(data_dictionary())
