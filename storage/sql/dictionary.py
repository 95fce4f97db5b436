"""Write the data dictionary from the schemas: ``python -m qsquared.storage.sql.dictionary``."""

import sys
import tempfile
from pathlib import Path

from qsquared.storage.sql.catalogue import connect
from qsquared.storage.sql.views.registry import SMALL_TABLES, VIEWS
from qsquared.storage.sql.views.view import View
from qsquared.storage.store import Store
from qsquared.storage.tables.columns import Table
from qsquared.storage.tables.registry import STAGE_TABLES, TABLES

_HEAD = """# Data dictionary

Generated from `storage/tables/` and `storage/sql/views/` by `make docs`; do not edit.
Every table is a view of `q2 sql` and of the file that `q2 catalog` writes; NULL never stands for a number.
The tables lie in the store as Parquet; the views at the end are made from them when they are asked.
[cookbook.md](cookbook.md) asks questions of them.
"""
_COLUMNS = ["", "| column | type | meaning | NULL means |", "|---|---|---|---|"]


def _section(table: Table) -> str:
    lines = [f"\n## {table.name}\n", table.meaning]
    if table in STAGE_TABLES:
        lines.append(
            "In SQL the columns `metric`, `profile` and `configuration` stand before these."
        )
    elif table.name in {"turns", "rejects"}:
        lines.append("In SQL the column `source`, the path of the log, stands before these.")
    if table.name == "turns":
        lines.append("The column `situation_id`, the key of `situations`, stands after them.")
    lines += _COLUMNS
    lines += [
        _line(column.name, str(column.type), column.meaning, column.null)
        for column in table.columns
    ]
    return "\n".join(lines) + "\n"


def _line(name: str, kind: str, meaning: str, null: str) -> str:
    return f"| `{name}` | {kind} | {meaning.replace('|', '·')} | {null or 'never'} |"


def _view_section(view: View, types: dict[str, str]) -> str:
    lines = [f"\n## {view.name}\n", view.meaning, *_COLUMNS]
    lines += [_line(name, types[name], meaning, null) for name, meaning, null in view.columns]
    return "\n".join(lines) + "\n"


def _views() -> str:
    """Return the sections of views and small tables, with the types that DuckDB gives."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Store.open(Path(folder), create=True)
        with connect(empty) as connection:
            return "".join(
                _view_section(
                    view,
                    {row[0]: row[1] for row in connection.sql(f"DESCRIBE {view.name}").fetchall()},
                )
                for view in (*SMALL_TABLES, *VIEWS)
            )


def data_dictionary() -> str:
    """The dictionary as Markdown."""
    return _HEAD + "".join(_section(table) for table in TABLES) + _views()


if __name__ == "__main__":
    sys.stdout.write(data_dictionary())
