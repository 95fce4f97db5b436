"""Wizard of Wikipedia as ParlAI publishes it, and ParlAI's world logs of such episodes.

The published files (``train.json``, ``valid_random_split.json``, …) are arrays of dialogues; a world
log has one episode a line, each exchange a pair of acts: the teacher's and the model's.
Dinan et al., 2019.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qsquared.storage.logs.adapters.adapter import (
    MOST_PLACES,
    TOO_LONG,
    Adapter,
    FieldOverrides,
    Fields,
    LogUnit,
    NoTurn,
    TurnFound,
    grouped_by,
)
from qsquared.storage.logs.adapters.texts import Passage, distinct, items

_NOTHING_CHOSEN = "no_passages_used"
_RETRIEVED = "retrieved_passages"
_KNOWLEDGE = " __knowledge__ "


def _recognises(fields: Mapping[str, Any]) -> bool:
    dialog = items(fields.get("dialog"))
    if not dialog:
        return False
    entry = dialog[0]
    if isinstance(entry, Mapping):
        return "speaker" in entry and "text" in entry
    return isinstance(entry, list) and all(
        isinstance(act, Mapping) and "text" in act for act in entry
    )


def _turns(units: Sequence[LogUnit], overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    return [turn for unit in units for turn in _turns_of_dialogue(unit, overrides)]


def _turns_of_dialogue(unit: LogUnit, overrides: FieldOverrides) -> list[TurnFound | NoTurn]:
    dialog = items(unit.fields.get("dialog"))
    if len(dialog) ** 2 > MOST_PLACES:
        return [NoTurn(unit.line, TOO_LONG)]
    if dialog and isinstance(dialog[0], list):
        found = list(_world_log_turns(dialog))
    else:
        wide = overrides.source.get("knowledge") == _RETRIEVED
        found = list(_published_turns(unit.fields, dialog, wide))
    if not found:
        return [NoTurn(unit.line, "The dialogue holds no text of the wizard or model.")]
    more = {
        key: unit.fields[key]
        for key in ("chosen_topic", "persona", "wizard_eval")
        if unit.fields.get(key) is not None
    }
    return [
        TurnFound(
            unit.line,
            {**more, **fields, "turn": number, **_ids(unit, number)},
        )
        for number, fields in enumerate(found, start=1)
    ]


def _ids(unit: LogUnit, number: int) -> Fields:
    name = unit.fields.get("id")
    own = isinstance(name, str) and bool(name.strip())
    return {"id": f"{name}#{number}" if own else None, "conversation_id": name if own else None}


def _published_turns(fields: Fields, dialog: Sequence[Any], wide: bool) -> Iterator[Fields]:
    history: list[str] = []
    for number, entry in enumerate(dialog):
        if not isinstance(entry, Mapping):
            continue
        text, speaker = entry.get("text"), entry.get("speaker")
        if isinstance(speaker, str) and "wizard" in speaker.lower() and isinstance(text, str):
            known = _all_shown_passages(fields, dialog, number) if wide else _chosen_passage(entry)
            yield {"response": text, "history": list(history), "knowledge": known}
        if isinstance(text, str):
            history.append(text)


def _chosen_passage(entry: Mapping[str, Any]) -> list[Passage]:
    """Return the sentence that the wizard chose to answer from, with the title of its passage."""
    chosen, passage = entry.get("checked_sentence"), entry.get("checked_passage")
    if not isinstance(chosen, Mapping):
        return []
    titles = (
        [t for t in passage.values() if isinstance(t, str)] if isinstance(passage, Mapping) else []
    )
    title = {"title": titles[0]} if titles and titles[0] != _NOTHING_CHOSEN else {}
    return [
        {"text": sentence, **title}
        for key, sentence in chosen.items()
        if isinstance(sentence, str) and sentence.strip() and _NOTHING_CHOSEN not in {key, sentence}
    ]


def _all_shown_passages(fields: Fields, dialog: Sequence[Any], number: int) -> list[Passage]:
    """Return all passages that the wizard could read: the topic's, and those of the last two texts."""
    topic = fields.get("chosen_topic")
    passages = [_passage(topic, fields.get("chosen_topic_passage"))]
    for entry in dialog[max(0, number - 2) : number]:
        for found in items(entry.get(_RETRIEVED)) if isinstance(entry, Mapping) else []:
            if isinstance(found, Mapping):
                passages += [_passage(title, sentences) for title, sentences in found.items()]
    return distinct([passage for passage in passages if passage["text"].strip()])


def _passage(title: Any, sentences: Any) -> Passage:
    text = " ".join(sentence for sentence in items(sentences) if isinstance(sentence, str))
    return {"text": text, **({"title": title} if isinstance(title, str) else {})}


def _world_log_turns(dialog: Sequence[Any]) -> Iterator[Fields]:
    history: list[str] = []
    for exchange in dialog:
        acts = [act for act in items(exchange) if isinstance(act, Mapping)]
        if len(acts) < 2:
            continue
        teacher, model = acts[0], acts[1]
        said, reply = teacher.get("text"), model.get("text")
        if isinstance(said, str) and said.strip():
            history.append(said)
        if isinstance(reply, str):
            labels = teacher.get("eval_labels", teacher.get("labels"))
            yield {
                "response": reply,
                "history": list(history),
                "knowledge": _knowledge_of_act(teacher),
                **({"labels": labels} if labels else {}),
                **({"model": model["id"]} if isinstance(model.get("id"), str) else {}),
            }
            history.append(reply)


def _knowledge_of_act(act: Mapping[str, Any]) -> list[Passage]:
    """Return the checked sentence of a teacher's act, or all its knowledge lines."""
    title, sentence = act.get("title"), act.get("checked_sentence")
    named = {"title": title} if isinstance(title, str) and title != _NOTHING_CHOSEN else {}
    if isinstance(sentence, str) and sentence.strip():
        return [] if sentence == _NOTHING_CHOSEN else [{"text": sentence, **named}]
    known = act.get("knowledge")
    passages = []
    for line in known.split("\n") if isinstance(known, str) else []:
        head, separator, rest = line.partition(_KNOWLEDGE)
        if _NOTHING_CHOSEN not in head and (rest if separator else head).strip():
            passages.append({"text": rest, "title": head} if separator else {"text": head})
    return distinct(passages)


WIZARD = Adapter(
    "wizard",
    "Wizard of Wikipedia as released with ParlAI (2018), and ParlAI world logs",
    _recognises,
    grouped_by(lambda _: None),
    _turns,
)
