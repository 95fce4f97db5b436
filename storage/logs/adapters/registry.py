"""The adapters by name, and the recognition of the one that a log needs."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from qsquared.storage.logs.adapters.adapter import MISFITS, Adapter
from qsquared.storage.logs.adapters.chats.anthropic import ANTHROPIC
from qsquared.storage.logs.adapters.chats.chatgpt import CHATGPT
from qsquared.storage.logs.adapters.chats.message_rows import MESSAGE_ROWS
from qsquared.storage.logs.adapters.chats.openai_assistants import ASSISTANTS
from qsquared.storage.logs.adapters.chats.openai_chat import OPENAI
from qsquared.storage.logs.adapters.chats.openai_responses import RESPONSES
from qsquared.storage.logs.adapters.chats.sharegpt import SHAREGPT
from qsquared.storage.logs.adapters.chats.vercel import VERCEL
from qsquared.storage.logs.adapters.dialogues.dialogflow import DIALOGFLOW
from qsquared.storage.logs.adapters.dialogues.lex import LEX
from qsquared.storage.logs.adapters.dialogues.rasa import RASA
from qsquared.storage.logs.adapters.dialogues.wizard import WIZARD
from qsquared.storage.logs.adapters.records.bedrock import BEDROCK
from qsquared.storage.logs.adapters.records.deepeval import DEEPEVAL
from qsquared.storage.logs.adapters.records.haystack import HAYSTACK
from qsquared.storage.logs.adapters.records.langchain import LANGCHAIN
from qsquared.storage.logs.adapters.records.llamaindex import LLAMAINDEX
from qsquared.storage.logs.adapters.records.ragas import RAGAS
from qsquared.storage.logs.adapters.records.trulens import TRULENS
from qsquared.storage.logs.adapters.traces.langfuse import LANGFUSE
from qsquared.storage.logs.adapters.traces.langsmith import LANGSMITH
from qsquared.storage.logs.adapters.traces.mlflow import MLFLOW
from qsquared.storage.logs.adapters.traces.openinference import OPENINFERENCE
from qsquared.storage.logs.adapters.traces.otel import OTEL
from qsquared.storage.logs.adapters.traces.weave import WEAVE
from qsquared.storage.logs.adapters.wrappings import taken_off
from qsquared.storage.logs.fields.field_paths import ABSENT, value_at
from qsquared.storage.logs.fields.mapping import sources
from qsquared.storage.logs.rows import RawRow, UnreadableRow

FLAT = "flat"
"""The format without an adapter: each row is a turn, and its columns are named or mapped."""

# Tried in this order; the last ones are the least specific.
ADAPTERS = {
    adapter.name: adapter
    for adapter in (
        MLFLOW, OTEL, WIZARD, RASA, LEX, DIALOGFLOW, LANGSMITH, WEAVE, OPENINFERENCE, LANGFUSE,
        CHATGPT, ASSISTANTS, BEDROCK, RESPONSES, ANTHROPIC, SHAREGPT, TRULENS, RAGAS, DEEPEVAL, LLAMAINDEX,
        HAYSTACK, VERCEL, LANGCHAIN, OPENAI, MESSAGE_ROWS,
    )
}  # fmt: skip
ROWS_LOOKED_AT = 20


def recognise(rows: Iterable[RawRow | UnreadableRow], mapping: Mapping[str, str]) -> Adapter | None:
    """Return the adapter that recognises the first rows of a log, None if they are flat or unknown.

    A row with a text in the field of the response is flat if a person named that field, or if the
    row has the field of the knowledge, too; else if no adapter recognises it.

    Args:
        rows: the log's rows, of which the first readable ones are examined.
        mapping: the log's field → ours, as far as a person stated it.
    """
    source = sources(mapping)
    response, knowledge = source.get("response", "response"), source.get("knowledge", "knowledge")
    readable = (row.fields for row in rows if isinstance(row, RawRow))
    for fields in islice(readable, ROWS_LOOKED_AT):
        replies = isinstance(value_at(fields, response), str)
        if replies and (response in mapping or value_at(fields, knowledge) is not ABSENT):
            return None
        inner = taken_off(fields)
        for adapter in ADAPTERS.values():
            if _recognised(adapter, inner):
                return adapter
        if replies:
            return None
    return None


def _recognised(adapter: Adapter, fields: Mapping[str, Any]) -> bool:
    try:
        return adapter.recognises(fields)
    except MISFITS:
        return False
