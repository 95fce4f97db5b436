"""The adapters by name, and the recognition of the one that a log needs."""

from collections.abc import Iterable
from itertools import islice

from qsquared.storage.logs.adapters.adapter import Adapter
from qsquared.storage.logs.adapters.langfuse import LANGFUSE
from qsquared.storage.logs.adapters.langsmith import LANGSMITH
from qsquared.storage.logs.adapters.openai_chat import OPENAI
from qsquared.storage.logs.adapters.openinference import OPENINFERENCE
from qsquared.storage.logs.adapters.otel import OTEL
from qsquared.storage.logs.adapters.wizard import WIZARD
from qsquared.storage.logs.rows import RawRow, UnreadableRow

FLAT = "flat"
"""The format without an adapter: each row is a turn, and its columns are named or mapped."""

# Tried in this order; the last ones are the least specific.
ADAPTERS = {
    adapter.name: adapter for adapter in (OTEL, WIZARD, LANGSMITH, OPENINFERENCE, LANGFUSE, OPENAI)
}
ROWS_LOOKED_AT = 20


def recognise(rows: Iterable[RawRow | UnreadableRow], response: str) -> Adapter | None:
    """Return the adapter that recognises the first rows of a log, None if they are flat or unknown.

    Args:
        rows: the log's rows, of which the first readable ones are examined.
        response: the field that a flat log has its replies in.
    """
    readable = (row.fields for row in rows if isinstance(row, RawRow))
    for fields in islice(readable, ROWS_LOOKED_AT):
        if isinstance(fields.get(response), str):
            return None
        for adapter in ADAPTERS.values():
            if adapter.recognises(fields):
                return adapter
    return None
