"""Functions that descriptions name for what no list of paths can say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from qsquared.storage.logs.engines.dialogues import (
    bedrock_agent,
    bedrock_parts,
    chatgpt_messages,
    dialogflow_interactions,
    lex_exchanges,
    parlai_messages,
    rasa_messages,
    thread_messages,
    thread_objects,
)
from qsquared.storage.logs.engines.otel import joined_records, otel_spans, trulens_calls
from qsquared.storage.logs.engines.units import Fields, LogUnit


def _alone(fields: Fields) -> Sequence[Fields]:
    return (fields,)


@dataclass(frozen=True, slots=True)
class Prepare:
    """The rules by which a row is cut into units and the units of a group are joined."""

    split: Callable[[Fields], Sequence[Fields] | None] = _alone
    join: Callable[[Sequence[LogUnit]], Sequence[LogUnit]] = tuple


PREPARE: Mapping[str, Prepare] = {
    "bedrock": Prepare(bedrock_parts, bedrock_agent),
    "chatgpt": Prepare(chatgpt_messages),
    "dialogflow": Prepare(dialogflow_interactions),
    "lex": Prepare(join=lex_exchanges),
    "parlai": Prepare(parlai_messages),
    "rasa": Prepare(rasa_messages),
    "threads": Prepare(thread_objects, thread_messages),
    "otel": Prepare(otel_spans, joined_records),
    "trulens": Prepare(trulens_calls),
}
