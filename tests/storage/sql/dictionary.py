"""Write the data dictionary from the schemas: ``python -m tests.storage.sql.dictionary``."""

import sys
import tempfile
from pathlib import Path

from qsquared.storage.sql.derived_views import DESCRIBED, View
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store
from qsquared.storage.tables import REJECTS, STAGE_TABLES, TURNS, Table

_HEAD = """# Data dictionary

Generated from `storage/tables.toml` and `storage/sql/views.toml` by `make docs`; do not edit.
Every table is a view of `q2 sql`; NULL never stands for a number.
The tables lie in the store as Parquet; the views at the end are made from them when they are asked.
[cookbook.md](cookbook.md) asks questions of them.
"""
_COLUMNS = "\n\n| column | type | meaning | NULL means |\n|---|---|---|---|\n"


def _section(described: Table | View, types: dict[str, str]) -> str:
    text = f"\n## {described.name}\n\n{described.meaning}"
    if described in STAGE_TABLES:
        text += "\nIn SQL the columns `metric`, `profile` and `configuration` stand before these."
    elif described in {TURNS, REJECTS}:
        text += "\nIn SQL the column `source`, the path of the log, stands before these."
    if described is TURNS:
        text += "\nThe column `situation_id`, the key of `situations`, stands after them."
    return (
        text
        + _COLUMNS
        + "".join(
            f"| `{column.name}` | {types[column.name]} | {column.meaning.replace('|', '·')} | "
            f"{column.null or 'never'} |\n"
            for column in described.columns
        )
    )


def data_dictionary() -> str:
    """The dictionary as Markdown; the types of views are those that DuckDB gives."""
    text = _HEAD
    with (
        tempfile.TemporaryDirectory() as folder,
        connect(Store.open(Path(folder), create=True)) as connection,
    ):
        for described in DESCRIBED:
            if isinstance(described, Table):
                types = {column.name: str(column.type) for column in described.columns}
            else:
                rows = connection.sql(f"DESCRIBE {described.name}").fetchall()
                types = {row[0]: row[1] for row in rows}
            text += _section(described, types)
    return text


if __name__ == "__main__":
    sys.stdout.write(data_dictionary())
