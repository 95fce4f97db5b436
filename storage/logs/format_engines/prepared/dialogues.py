"""Messages and exchanges out of trees, trackers, threads and streams that no list of paths describes."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from qsquared.storage.logs.fields.field_paths import EMPTY, first_at, first_of_each, value_at
from qsquared.storage.logs.fields.objects import (
    first,
    items,
    mapping,
    parsed,
    passages_of,
    without_none,
    word,
)
from qsquared.storage.logs.format_engines.prepared.bedrock import (
    bedrock_agent,
    bedrock_parts,
    thread_messages,
    thread_objects,
)
from qsquared.storage.logs.format_engines.prepared.otel import (
    joined_records,
    otel_spans,
    trulens_calls,
)
from qsquared.storage.logs.format_engines.units import Fields, LogUnit
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("dialogues")

WHOLE = "whole conversation"
"""The field of messages that one row holds together; its value is the conversation's id, or empty."""
_KNOWN_LIKE = _V.names("known_like")
_NOT_KNOWN = _V.names("not_known")
_ATTRIBUTES = ("sessionState.sessionAttributes", "sessionAttributes", "requestAttributes")
_SAID = {None, "PlainText", "SSML"}
"""The types of messages of Lex that are texts."""
_NOTHING_CHOSEN = "no_passages_used"


def chatgpt_messages(fields: Fields) -> Sequence[Fields]:
    """Return the messages of a conversation of ChatGPT's export, from the root to the current node.

    Branches that were left, such as a reply that was generated anew, are not read.
    """
    nodes = dict(mapping(fields.get("mapping")))
    name: Any = fields.get("current_node")
    if name not in nodes:
        name = next((key for key in reversed(nodes) if not mapping(nodes[key]).get("children")), "")
    more = {WHOLE: str(first(fields, "conversation_id", "id") or "")}
    found: list[Fields] = []
    while isinstance(name, str) and name in nodes:
        node = mapping(nodes.pop(name))
        message = _of_tree(mapping(node.get("message")))
        found += [] if message is None else [{**message, **more}]
        name = node.get("parent")
    return found[::-1] or [{WHOLE: ""}]


def _of_tree(message: Mapping[str, Any]) -> Fields | None:
    """Return a message of the tree with a role and a content, None if nobody could see it."""
    content, metadata = mapping(message.get("content")), mapping(message.get("metadata"))
    role, kind = word(mapping(message.get("author")), "role"), word(content, "content_type")
    hidden = metadata.get("is_visually_hidden_from_conversation") is True
    if not message or hidden or kind in _V.set("silent"):
        return None
    parts = "\n".join(part for part in items(content.get("parts")) if isinstance(part, str))
    read: Fields = {"role": role, "id": message.get("id"), "created": message.get("create_time")}
    if role == "assistant" and (word(message, "recipient") not in {"", "all"} or kind == "code"):
        read["tool_calls"] = [{"name": message.get("recipient")}]
    elif role == "assistant":
        entries = map(mapping, first_at(metadata, ["search_result_groups[].entries[]"]) or ())
        # A page that was found without an excerpt brings a title alone, which is no knowledge.
        read["documents"] = [
            without_none({"text": one["snippet"], "title": one.get("title"), "url": one.get("url")})
            for one in entries
            if word(one, "snippet").strip()
        ] or None
        read["model"] = metadata.get("model_slug")
    elif role == "tool" and isinstance(quoted := first(content, "text", "result"), str):
        return without_none({**read, "content": [{**content, "text": quoted}]})
    return without_none({**read, "content": parts})


def rasa_messages(fields: Fields) -> Sequence[Fields]:
    """Return the messages of a tracker of Rasa, or of one event; slots and metadata bring passages."""
    sender = fields.get("sender_id")
    if "events" in fields:
        more = {WHOLE: str(sender or "")}
        events = map(mapping, items(fields["events"]))
        return [one for event in events for one in _of_event(event, more)] or [more]
    # The table of the tracker store keeps an event in one column.
    event = fields if "event" in fields else mapping(fields.get("data"))
    return list(_of_event(event, {"sender_id": sender})) or [{"sender_id": sender}]


def _of_event(event: Mapping[str, Any], more: Fields) -> Iterator[Fields]:
    kind, text, metadata = event.get("event"), event.get("text"), mapping(event.get("metadata"))
    data = mapping(event.get("data")) if kind == "bot" else {}
    held: list[Any] = [{str(event.get("name")): event.get("value")}] if kind == "slot" else []
    for one in (metadata, data) if kind in ("action", "bot") else ():
        held += [one, mapping(one.get("custom")), mapping(one.get("metadata"))]
    for name, value in (pair for one in held for pair in one.items()):
        if _is_knowledge(str(name).lower(), parsed(value)):
            yield {**more, "role": "tool", "content": value}
    if kind in ("user", "bot") and isinstance(text, str) and text.strip():
        own = {"id": metadata.get("message_id"), "utter_action": metadata.get("utter_action")}
        role = "user" if kind == "user" else "assistant"
        said = {"role": role, "content": text, "timestamp": event.get("timestamp")}
        yield {**more, **said, **without_none(own)}


def _is_knowledge(name: str, value: Any) -> bool:
    """Whether a slot is named like knowledge, or holds a list and has such a word in its name."""
    words = {name} | ({*re.split(r"[^a-z]+", name)} if isinstance(value, list) else set())
    return value not in EMPTY and not words.isdisjoint(_V.set("known"))


def lex_exchanges(units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return the exchanges of a session of Lex, each with what its attributes hold of a search as ``retrieved``.

    The attributes of a session stay until they are set anew.
    """
    before: Mapping[str, Any] = {}
    made = []
    for unit in units:
        held = (mapping(value_at(unit.fields, path)) for path in _ATTRIBUTES)
        attributes = {name: value for one in held for name, value in one.items()}
        messages = map(mapping, items(unit.fields.get("messages")))
        texts = (word(one, "content") for one in messages if one.get("contentType") in _SAID)
        text = "\n".join(filter(str.strip, texts))
        changed = ((k, v) for k, v in attributes.items() if before.get(k) != v != text)
        retrieved = [one for k, v in changed if _is_search(k, v) for one in passages_of(v)]
        own = {"retrieved": retrieved, **({"said": text} if text else {})}
        before = attributes
        made.append(replace(unit, fields={**unit.fields, **own}))
    return made


def _is_search(name: str, value: Any) -> bool:
    lowered = str(name).lower()
    named = any(known in lowered for known in _KNOWN_LIKE) and parsed(value) not in EMPTY
    return named and (bool(items(value)) or not any(other in lowered for other in _NOT_KNOWN))


def dialogflow_interactions(fields: Fields) -> Sequence[Fields]:
    """Return an interaction of Dialogflow with the answers of its knowledge bases as documents."""
    inner = "queryResult|query_result.knowledgeAnswers.answers[]"
    paths = (f"response|detectIntentResponse|jsonPayload|payload.{inner}", inner)
    names = {"text": "answer", "title": "faqQuestion", "url": "source", "score": "matchConfidence"}
    found = (mapping(one) for path in paths for one in first_at(fields, [path]) or ())
    known = [{ours: one[k] for ours, k in names.items() if one.get(k)} for one in found]
    return ({**fields, "answers": known} if known else fields,)


def parlai_messages(fields: Fields) -> Sequence[Fields]:
    """Return the messages of a dialogue of Wizard of Wikipedia, or of an episode of ParlAI's world log.

    Dinan et al., 2019; a world log has pairs of acts: the teacher's and the model's.
    """
    dialog = items(fields.get("dialog"))
    own = word(fields, "id").strip() and word(fields, "id")
    names = ("chosen_topic", "persona", "wizard_eval")
    more = without_none({key: fields.get(key) for key in names})
    acts = _acts(dialog) if dialog and isinstance(dialog[0], list) else _published(fields, dialog)
    made: list[Fields] = []
    number = 0
    for act in acts:
        number += act["role"] == "assistant"
        made.append({**more, **act, WHOLE: own, **({"id": f"{own}#{number}"} if own else {})})
    return made or [{WHOLE: ""}]


def _published(fields: Fields, dialog: Sequence[Any]) -> Iterator[Fields]:
    for number, entry in enumerate(map(mapping, dialog)):
        text = entry.get("text")
        if isinstance(text, str) and "wizard" not in word(entry, "speaker").lower():
            yield {"role": "user", "content": text}
        elif isinstance(text, str):
            titles = mapping(entry.get("checked_passage")).values()
            title = next((one for one in titles if isinstance(one, str)), _NOTHING_CHOSEN)
            chosen = mapping(entry.get("checked_sentence")).items()
            shown = _all_shown(fields, dialog, number)
            held = ((key, one) for key, one in chosen if isinstance(one, str) and one.strip())
            known = (one for key, one in held if _NOTHING_CHOSEN not in {key, one})
            documents = [_titled(one, title) for one in known]
            said = {"role": "assistant", "content": text, "documents": documents}
            yield {**said, "retrieved_passages": shown}


def _titled(text: str, title: Any) -> Fields:
    named = isinstance(title, str) and title != _NOTHING_CHOSEN
    return {"text": text, "title": title} if named else {"text": text}


def _all_shown(fields: Fields, dialog: Sequence[Any], number: int) -> list[Fields]:
    """Return all passages that the wizard could read: the topic's, and those of the last two texts."""
    held = [(fields.get("chosen_topic"), fields.get("chosen_topic_passage"))]
    for entry in dialog[max(0, number - 2) : number]:
        for found in map(mapping, items(mapping(entry).get("retrieved_passages"))):
            held += found.items()
    listed = ((title, items(sentences)) for title, sentences in held)
    texts = (
        (title, " ".join(one for one in said if isinstance(one, str))) for title, said in listed
    )
    told = (_titled(text, title) for title, text in texts if text.strip())
    return first_of_each(told, itemgetter("text"))


def _acts(dialog: Sequence[Any]) -> Iterator[Fields]:
    for exchange in dialog:
        acts = [act for act in items(exchange) if isinstance(act, dict)]
        for teacher, model in [acts[:2]] if len(acts) > 1 else []:
            yield {"role": "user", "content": teacher.get("text")}
            labels = teacher.get("eval_labels", teacher.get("labels"))
            own = {"labels": labels or None, "model": word(model, "id") or None}
            if isinstance(model.get("text"), str):
                said = {"role": "assistant", "content": model["text"], **without_none(own)}
                yield {**said, "documents": _known_of_act(teacher)}


def _known_of_act(act: Mapping[str, Any]) -> list[Fields]:
    """Return the checked sentence of a teacher's act, or all its knowledge lines."""
    sentence = word(act, "checked_sentence")
    if sentence.strip():
        return [] if sentence == _NOTHING_CHOSEN else [_titled(sentence, act.get("title"))]
    made: list[Fields] = []
    for line in word(act, "knowledge").split("\n"):
        head, separator, rest = line.partition(" __knowledge__ ")
        if _NOTHING_CHOSEN not in head and (rest if separator else head).strip():
            made.append({"text": rest, "title": head} if separator else {"text": head})
    return made


@dataclass(frozen=True, slots=True)
class Prepare:
    """The rules by which a row is cut into units and the units of a group are joined."""

    split: Callable[[Fields], Sequence[Fields] | None] = lambda fields: (fields,)
    join: Callable[[Sequence[LogUnit]], Sequence[LogUnit]] = tuple


PREPARE: Mapping[str, Prepare] = {
    "": Prepare(),
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
"""The functions that descriptions name for what no list of paths can say."""
