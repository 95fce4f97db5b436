"""Messages and exchanges out of trees, trackers, threads and streams that no list of paths describes."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from qsquared.storage.logs.engines.units import STREAM, Fields, LogUnit
from qsquared.storage.logs.fields.field_paths import EMPTY
from qsquared.storage.logs.fields.objects import (
    first,
    has_text,
    items,
    mapping,
    parsed,
    passages_of,
    text_of,
    without_none,
    word,
)
from qsquared.storage.logs.messages.streams import joined_thread

WHOLE = "whole conversation"
"""The field of messages that one row holds together; its value is the conversation's id, or empty."""
_KNOWN = {
    "search_results", "retrieved_documents", "retrieved_contexts", "retrieved_context", "documents",
    "sources", "context", "contexts", "passages", "knowledge", "knowledge_base_results",
    "relevant_documents", "faq_results", "docs", "snippets", "citations", "search_result",
}  # fmt: skip
_KNOWN_LIKE = (
    "kendra-search-response", "qna-search-response", "retrieved", "search_results", "searchresults",
    "context", "documents", "sources", "passages", "knowledge", "citations", "excerpts",
)  # fmt: skip
_NOT_KNOWN = ("source-uri", "session-id", "activecontexts", "response-source")
_SPOKEN = {None, "PlainText", "SSML"}
_SILENT = {"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"}
_TRACES = ("orchestrationTrace", "customOrchestrationTrace")
_MOST_DEPTH = 8
_THREADED = {"thread.message", "thread.run.step", "thread.message.delta"}
_NOTHING_CHOSEN = "no_passages_used"


def chatgpt_messages(fields: Fields) -> Sequence[Fields]:
    """Return the messages of a conversation of ChatGPT's export, from the root to the current node.

    Branches that were left, such as a reply that was generated anew, are not read.
    """
    nodes = dict(mapping(fields.get("mapping")))
    name: Any = fields.get("current_node")
    if name not in nodes:
        name = next((key for key in reversed(nodes) if not mapping(nodes[key]).get("children")), "")
    found: list[Fields] = []
    seen: set[str] = set()
    while isinstance(name, str) and name in nodes and name not in seen:
        seen.add(name)
        node = mapping(nodes[name])
        if message := _of_tree(mapping(node.get("message"))):
            found.append({**message, WHOLE: str(first(fields, "conversation_id", "id") or "")})
        name = node.get("parent")
    return found[::-1] or [{WHOLE: ""}]


def _of_tree(message: Mapping[str, Any]) -> Fields | None:
    """Return a message of the tree with a role and a content, None if nobody could see it."""
    content, metadata = mapping(message.get("content")), mapping(message.get("metadata"))
    role, kind = word(mapping(message.get("author")), "role"), word(content, "content_type")
    if (
        not message
        or metadata.get("is_visually_hidden_from_conversation") is True
        or kind in _SILENT
    ):
        return None
    parts = "\n".join(part for part in items(content.get("parts")) if isinstance(part, str))
    read: Fields = {
        "role": role,
        "id": message.get("id"),
        "created": message.get("create_time"),
        "content": parts,
    }
    if role == "tool":
        quoted = first(content, "text", "result")
        names = {"text": quoted, "title": content.get("title"), "url": content.get("url")}
        read["content"] = [without_none(names)] if isinstance(quoted, str) else parts
    elif role == "assistant" and (word(message, "recipient") not in {"", "all"} or kind == "code"):
        read["tool_calls"] = [{"name": message.get("recipient")}]
    elif role == "assistant":
        groups = map(mapping, items(metadata.get("search_result_groups")))
        entries = [mapping(one) for group in groups for one in items(group.get("entries"))]
        hits = [one for one in entries if word(one, "snippet").strip()]
        read["documents"] = [
            without_none({"text": one["snippet"], "title": one.get("title"), "url": one.get("url")})
            for one in hits
        ] or None
        read["model"] = metadata.get("model_slug")
    return without_none(read)


def rasa_messages(fields: Fields) -> Sequence[Fields]:
    """Return the messages of a tracker of Rasa, or of one event; slots and metadata bring passages."""
    if "events" not in fields:
        return list(_of_event(fields, {"sender_id": fields.get("sender_id")})) or [
            {"sender_id": fields.get("sender_id")}
        ]
    more = {WHOLE: str(fields.get("sender_id") or "")}
    events = map(mapping, items(fields["events"]))
    return [one for event in events for one in _of_event(event, more)] or [more]


def _of_event(event: Mapping[str, Any], more: Fields) -> Iterator[Fields]:
    kind, text, metadata = event.get("event"), event.get("text"), mapping(event.get("metadata"))
    held: list[Any] = []
    if kind == "slot":
        held = [{str(event.get("name")): event.get("value")}]
    elif kind in ("action", "bot"):
        data = mapping(event.get("data")) if kind == "bot" else {}
        held = [
            inner
            for one in (metadata, data)
            for inner in (one, mapping(one.get("custom")), mapping(one.get("metadata")))
        ]
    for one in held:
        for name, value in one.items():
            if str(name).lower() in _KNOWN and parsed(value) not in EMPTY:
                yield {**more, "role": "tool", "content": value}
    if kind in ("user", "bot") and isinstance(text, str) and text.strip():
        own = {"id": metadata.get("message_id"), "utter_action": metadata.get("utter_action")}
        role = "user" if kind == "user" else "assistant"
        yield {
            **more,
            "role": role,
            "content": text,
            "timestamp": event.get("timestamp"),
            **without_none(own),
        }


def lex_exchanges(units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return the exchanges of a session of Lex, each with what its attributes hold of a search as ``retrieved``.

    The attributes of a session stay until they are set anew.
    """
    before: Mapping[str, Any] = {}
    made = []
    for unit in units:
        fields = unit.fields
        state = mapping(fields.get("sessionState"))
        held = (
            state.get("sessionAttributes"),
            fields.get("sessionAttributes"),
            fields.get("requestAttributes"),
        )
        attributes = {name: value for one in held for name, value in mapping(one).items()}
        messages = [mapping(message) for message in items(fields.get("messages"))]
        texts = [one.get("content") for one in messages if one.get("contentType") in _SPOKEN]
        text = "\n".join(text for text in texts if isinstance(text, str) and text.strip())
        fresh = {name: value for name, value in attributes.items() if before.get(name) != value}
        found = [
            value for name, value in fresh.items() if value != text and _is_search(name, value)
        ]
        if text:
            fields = {**fields, "said": text}
        before = attributes
        made.append(
            replace(
                unit,
                fields={
                    **fields,
                    "retrieved": [one for value in found for one in passages_of(value)],
                },
            )
        )
    return made


def _is_search(name: str, value: Any) -> bool:
    lowered = str(name).lower()
    held = items(value)
    texts = bool(held) and all(isinstance(one, Mapping) and has_text(one) for one in held)
    named = any(word in lowered for word in _KNOWN_LIKE)
    return (
        named
        and parsed(value) not in EMPTY
        and (texts or not any(word in lowered for word in _NOT_KNOWN))
    )


def thread_objects(fields: Fields) -> Sequence[Fields]:
    """Return the messages and run steps of a thread of the Assistants API, however its lists are nested."""
    thread = first(fields, "thread_id") or mapping(fields.get("thread")).get("id")
    event = {"event": STREAM} if word(fields, "event").startswith("thread.") else {}
    found = [{"thread_id": thread, **one, **event} for one in _objects(fields, 0)]
    return [{**one, "thread_id": one["thread_id"] or thread} for one in found]


def _objects(value: Any, depth: int) -> Iterator[Fields]:
    if isinstance(value, Mapping) and word(value, "object") in _THREADED:
        yield dict(value)
    elif depth <= _MOST_DEPTH // 2:
        inner = (
            value.values()
            if isinstance(value, Mapping)
            else value
            if isinstance(value, list)
            else ()
        )
        for one in inner:
            yield from _objects(one, depth + 1)


def thread_messages(units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return the messages of threads, oldest first, each with what the steps of its run brought as ``documents``."""
    lines = {str(unit.fields.get("id")): unit for unit in reversed(units)}
    objects = joined_thread([unit.fields for unit in units])
    known: dict[str, list[Any]] = {}
    for one in objects:
        if one.get("object") == "thread.run.step" and word(one, "status") not in {
            "failed",
            "cancelled",
            "expired",
        }:
            known.setdefault(str(one.get("run_id")), []).extend(_retrieved(one))
    messages = [dict(one) for one in objects if one.get("object") == "thread.message"]
    # Lists of the API begin with the newest message.
    messages.sort(
        key=lambda one: one["created_at"] if isinstance(one.get("created_at"), int | float) else 0
    )
    made = []
    for one in messages:
        unit = lines[str(one.get("id"))]
        documents = known.get(str(one.get("run_id")), []) if one.get("run_id") else []
        thread = one.get("thread_id")
        made.append(
            replace(
                unit,
                fields={**one, "documents": documents},
                group=thread if isinstance(thread, str) else None,
            )
        )
    return made or units[:1]


def _retrieved(step: Mapping[str, Any]) -> Iterator[Any]:
    for call in map(mapping, items(mapping(step.get("step_details")).get("tool_calls"))):
        for result in map(mapping, items(mapping(call.get("file_search")).get("results"))):
            names = {
                "id": result.get("file_id"),
                "title": result.get("file_name"),
                "score": result.get("score"),
            }
            if (text := text_of(items(result.get("content")))).strip():
                yield {"text": text, **without_none(names)}
        yield from passages_of(mapping(call.get("function")).get("output"))


def bedrock_parts(fields: Fields) -> Sequence[Fields]:
    """Return a row of Bedrock; one that is a part of an agent's stream belongs to its ``session``."""
    asks = "inputText" in fields and "completion" not in fields
    part = asks or isinstance(fields.get("trace"), Mapping) or "chunk" in fields
    session = fields.get("sessionId")
    alone = not part or not isinstance(session, str) or _answer(fields) is not None
    return (fields if alone else {**fields, "session": session},)


def _answer(fields: Mapping[str, Any]) -> str | None:
    response = mapping(fields.get("response"))
    whole = response if "output" in response or "citations" in response else fields
    held = (
        mapping(whole.get("output")).get("text"),
        *(fields.get(n) for n in ("completion", "outputText", "answer")),
    )
    return next((text for text in held if isinstance(text, str) and text.strip()), None)


def bedrock_agent(units: Sequence[LogUnit]) -> Sequence[LogUnit]:
    """Return the exchanges with an agent of Bedrock, out of the parts of its streams.

    The chunks of a stream repeat the answer and the references of its trace.
    """
    traced = any(_observed(step)[1] for unit in units for step in _steps(unit.fields))
    made: list[LogUnit] = []
    known: list[Any] = []
    asked: str | None = None
    pieces = ""

    def answered(unit: LogUnit, text: str) -> None:
        nonlocal known, asked, pieces
        made.append(
            replace(unit, fields={**unit.fields, "asked": asked, "said": text, "retrieved": known})
        )
        known, asked, pieces = [], None, ""

    for number, unit in enumerate(units):
        fields = unit.fields
        if (question := _question(fields)) is not None:
            if asked and pieces:
                answered(units[number - 1], pieces)
            asked, pieces = question, ""
        known += _references(
            first(mapping(fields.get("response")), "citations") or fields.get("citations")
        )
        chunk = mapping(fields.get("chunk"))
        known += [] if traced else _references(mapping(chunk.get("attribution")).get("citations"))
        piece = _chunk_text(chunk)
        pieces += piece or ""
        final = None if traced else piece
        for step in _steps(fields):
            passages, said = _observed(step)
            known += passages
            final = said or final
        if (text := _answer(fields) or final) is not None:
            answered(unit, text)
    if traced and asked and pieces:
        # The stream of the last answer broke off before its trace was finished.
        answered(units[-1], pieces)
    return made or units[:1]


def _steps(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the orchestration steps within a row, in their order."""
    if isinstance(value, Mapping):
        own = next((value[name] for name in _TRACES if isinstance(value.get(name), Mapping)), None)
        if own is not None:
            yield own
            return
    inner = (
        value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    )
    for one in inner if depth <= _MOST_DEPTH else ():
        yield from _steps(one, depth + 1)


def _observed(step: Mapping[str, Any]) -> tuple[list[Any], str | None]:
    """Return the passages that a step of an agent retrieved, and its final answer."""
    seen = mapping(step.get("observation"))
    found = items(mapping(seen.get("knowledgeBaseLookupOutput")).get("retrievedReferences"))
    found = [*found, *passages_of(mapping(seen.get("actionGroupInvocationOutput")).get("text"))]
    final = mapping(seen.get("finalResponse")).get("text")
    return found, final if isinstance(final, str) and final.strip() else None


def _references(value: Any) -> list[Any]:
    return [
        one
        for citation in items(value)
        for one in items(mapping(citation).get("retrievedReferences"))
    ]


def _chunk_text(chunk: Mapping[str, Any]) -> str | None:
    """Return the text of a chunk, whose bytes JSON holds in base 64 or as they are."""
    held = chunk.get("bytes")
    if not isinstance(held, str) or not held.strip():
        return None
    try:
        return base64.b64decode(held, validate=True).decode()
    except ValueError:
        return held


def _question(fields: Mapping[str, Any]) -> str | None:
    request = mapping(fields.get("request"))
    held = (
        mapping(fields.get("input")).get("text"), mapping(request.get("input")).get("text"),
        first(fields, "inputText", "question", "query"), request.get("inputText"), fields.get("input"),
    )  # fmt: skip
    return next((text for text in held if isinstance(text, str) and text.strip()), None)


def dialogflow_interactions(fields: Fields) -> Sequence[Fields]:
    """Return an interaction of Dialogflow with the answers of its knowledge bases as documents."""
    held = [
        mapping(fields.get(name))
        for name in ("response", "detectIntentResponse", "jsonPayload", "payload")
    ]
    results = [mapping(first(one, "queryResult", "query_result")) for one in (*held, fields)]
    answers = [
        mapping(one)
        for result in results
        for one in items(mapping(result.get("knowledgeAnswers")).get("answers"))
    ]
    names = {"text": "answer", "title": "faqQuestion", "url": "source", "score": "matchConfidence"}
    known = [
        {ours: one[theirs] for ours, theirs in names.items() if one.get(theirs)} for one in answers
    ]
    return ({**fields, "answers": known} if known else fields,)


def parlai_messages(fields: Fields) -> Sequence[Fields]:
    """Return the messages of a dialogue of Wizard of Wikipedia, or of an episode of ParlAI's world log.

    Dinan et al., 2019; a world log has pairs of acts: the teacher's and the model's.
    """
    dialog = items(fields.get("dialog"))
    name = fields.get("id")
    own = name if isinstance(name, str) and name.strip() else ""
    more = {
        key: fields[key]
        for key in ("chosen_topic", "persona", "wizard_eval")
        if fields.get(key) is not None
    }
    acts = _acts(dialog) if dialog and isinstance(dialog[0], list) else _published(fields, dialog)
    made: list[Fields] = []
    number = 0
    for act in acts:
        number += act["role"] == "assistant"
        made.append({**more, **act, WHOLE: own, **({"id": f"{own}#{number}"} if own else {})})
    return made or [{WHOLE: ""}]


def _published(fields: Fields, dialog: Sequence[Any]) -> Iterator[Fields]:
    for number, entry in enumerate(dialog):
        text, speaker = mapping(entry).get("text"), mapping(entry).get("speaker")
        if not isinstance(text, str):
            continue
        if not isinstance(speaker, str) or "wizard" not in speaker.lower():
            yield {"role": "user", "content": text}
            continue
        chosen = mapping(entry.get("checked_sentence"))
        titles = [
            one for one in mapping(entry.get("checked_passage")).values() if isinstance(one, str)
        ]
        title = {"title": titles[0]} if titles and titles[0] != _NOTHING_CHOSEN else {}
        documents = [
            {"text": sentence, **title}
            for key, sentence in chosen.items()
            if isinstance(sentence, str)
            and sentence.strip()
            and _NOTHING_CHOSEN not in {key, sentence}
        ]
        shown = _all_shown(fields, dialog, number)
        yield {
            "role": "assistant",
            "content": text,
            "documents": documents,
            "retrieved_passages": shown,
        }


def _all_shown(fields: Fields, dialog: Sequence[Any], number: int) -> list[Fields]:
    """Return all passages that the wizard could read: the topic's, and those of the last two texts."""
    held = [(fields.get("chosen_topic"), fields.get("chosen_topic_passage"))]
    for entry in dialog[max(0, number - 2) : number]:
        for found in map(mapping, items(mapping(entry).get("retrieved_passages"))):
            held += found.items()
    made: dict[str, Fields] = {}
    for title, sentences in held:
        text = " ".join(one for one in items(sentences) if isinstance(one, str))
        if text.strip():
            made.setdefault(
                text, {"text": text, **({"title": title} if isinstance(title, str) else {})}
            )
    return list(made.values())


def _acts(dialog: Sequence[Any]) -> Iterator[Fields]:
    for exchange in dialog:
        acts = [act for act in items(exchange) if isinstance(act, Mapping)]
        if len(acts) < 2:
            continue
        teacher, model = acts[:2]
        yield {"role": "user", "content": teacher.get("text")}
        labels = teacher.get("eval_labels", teacher.get("labels"))
        if isinstance(model.get("text"), str):
            own = {
                "labels": labels or None,
                "model": model["id"] if isinstance(model.get("id"), str) else None,
            }
            documents = _known_of_act(teacher)
            yield {
                "role": "assistant",
                "content": model["text"],
                "documents": documents,
                **without_none(own),
            }


def _known_of_act(act: Mapping[str, Any]) -> list[Fields]:
    """Return the checked sentence of a teacher's act, or all its knowledge lines."""
    title, sentence = act.get("title"), act.get("checked_sentence")
    named = {"title": title} if isinstance(title, str) and title != _NOTHING_CHOSEN else {}
    if isinstance(sentence, str) and sentence.strip():
        return [] if sentence == _NOTHING_CHOSEN else [{"text": sentence, **named}]
    made: list[Fields] = []
    for line in word(act, "knowledge").split("\n"):
        head, separator, rest = line.partition(" __knowledge__ ")
        if _NOTHING_CHOSEN not in head and (rest if separator else head).strip():
            made.append({"text": rest, "title": head} if separator else {"text": head})
    return made
