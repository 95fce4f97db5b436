"""The table `requests` of a store in SQL, made of its journal of answers."""

import json

import duckdb
import pyarrow as pa

from qsquared.storage.records.requests import read_requests
from qsquared.storage.store import Store
from qsquared.storage.tables.columns import FLAG, INT, REAL, TEXT

_COLUMNS = {
    "answered_at": TEXT, "run": TEXT, "stage": TEXT, "shard": TEXT, "prompt": TEXT, "model": TEXT,
    "reported_model": TEXT, "fingerprint": TEXT, "asked_with": TEXT, "attempt": INT, "sound": FLAG,
    "wrong": TEXT, "finish": TEXT, "input_tokens": INT, "output_tokens": INT, "cost": REAL,
    "currency": TEXT, "answer": TEXT, "chances": TEXT, "key": TEXT,
}  # fmt: skip


def make_requests(
    connection: duckdb.DuckDBPyConnection, store: Store, sql: str | None = None
) -> None:
    """Make the table, without rows where a query does not name what is made of it."""
    text = (sql or "requests").lower()
    wanted = any(word in text for word in ("requests", "costs", "query"))
    rows = [
        dict(line) | {"chances": json.dumps(line["chances"]) if line["chances"] else None}
        for line in (read_requests(store) if wanted else ())
    ]
    schema = pa.schema(list(_COLUMNS.items()))
    connection.register("journal", pa.Table.from_pylist(rows, schema))
    connection.execute(
        "CREATE TABLE requests AS SELECT * REPLACE (CAST(answered_at AS TIMESTAMPTZ) AS answered_at) "
        "FROM journal ORDER BY answered_at"
    )
    connection.unregister("journal")
