"""Fields of the log as columns: the regular ones of `metadata`, with the types of a sample."""

import difflib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from qsquared.errors import UsageError
from qsquared.storage.connection import quote

NO_FIELDS = "CAST(NULL AS STRUCT(field VARCHAR))"
"""The column `fields` of `outcomes`, as SQL, where no turn tells of any."""

FILES = 8
TURNS_A_FILE = 250
MOST_FIELDS = 100


def refuse_unknown_field(connection: duckdb.DuckDBPyConnection, field: str) -> None:
    """Refuse to group by a field that no turn of the store has.

    Args:
        connection: reads the view `turns`.
        field: its name.

    Raises:
        UsageError: no turn has it; the error names the fields that there are.
    """
    rows = connection.execute("SELECT DISTINCT unnest(json_keys(metadata)) FROM turns").fetchall()
    fields = sorted(str(name) for (name,) in rows)
    if field in fields:
        return
    near = difflib.get_close_matches(field, fields, 1)
    raise UsageError(
        f"No turn has the field {field!r}.{f' Is it {near[0]}?' if near else ''}",
        f"Fields of the logs: {', '.join(fields[:MOST_FIELDS]) or 'none'}.",
    )


def fields_sql(connection: duckdb.DuckDBPyConnection, turns: Sequence[Path]) -> str:
    """Return the regular fields of the metadata of turns as one struct, as SQL over `t.metadata`.

    A field is regular if it has values of one type in a sample of the latest logs; one that holds
    objects or lists is, if all their fields are.
    """
    if not turns:
        return NO_FIELDS
    sample = " UNION ALL ".join(
        f"(SELECT metadata FROM read_parquet({quote(path)}) LIMIT {TURNS_A_FILE})"
        for path in turns[-FILES:]
    )
    # All of its one row is fetched, since the connection goes on.
    ((described,),) = connection.execute(
        f"SELECT json_group_structure(metadata::JSON) FROM ({sample})"
    ).fetchall()
    structure = _regular(json.loads(described)) if described else None
    if not isinstance(structure, dict):
        return NO_FIELDS
    return f"json_transform(t.metadata, {quote(json.dumps(structure, ensure_ascii=False))})"


def _regular(structure: Any) -> Any:
    """Return the parts of a structure that have one type, as DuckDB writes it; None if none has."""
    if isinstance(structure, str):
        # A number that is negative elsewhere would be no UBIGINT.
        return {"JSON": None, "NULL": None, "UBIGINT": "BIGINT"}.get(structure, structure)
    if isinstance(structure, list):
        inner = _regular(structure[0])
        return inner and [inner]
    kept: dict[str, Any] = {}
    for name, part in structure.items():
        # Names that differ in capitals only are one name in SQL.
        if name and name.lower() not in map(str.lower, kept) and (inner := _regular(part)):
            kept[name] = inner
    return kept if 0 < len(kept) <= MOST_FIELDS else None
