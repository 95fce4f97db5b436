"""Propose how to read a log that gives no turn, or none with knowledge, as it is read.

Each proposal of `discovery.py` is tried on the log's first rows, as a mapping of fields or as a description. It is
offered to the person whose log it is if its turns have knowledge, look sound, and leave nothing out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from statistics import mean
from typing import Any

from qsquared.storage.logs.fields.embedded_values import parsed
from qsquared.storage.logs.fields.values import asks
from qsquared.storage.logs.file_types.log_lines import TEXT, first_records, is_timed
from qsquared.storage.logs.format_engines.recognition import FLAT
from qsquared.storage.logs.reading import DESCRIBED, Reading
from qsquared.storage.logs.rows import RawRow
from qsquared.storage.logs.surveys.columns.described import Proposal, ids_and_times
from qsquared.storage.logs.surveys.columns.texts import SharedWords, share_of
from qsquared.storage.logs.surveys.columns.values import Column, Unit, columns_of
from qsquared.storage.logs.surveys.discovery import discover
from qsquared.storage.logs.surveys.doubts import doubts, left_out
from qsquared.storage.logs.surveys.shapes.lines import templates_of
from qsquared.storage.logs.surveys.shapes.speakers import names_tools
from qsquared.storage.logs.surveys.survey import MORE_ROWS, Survey, survey_rows
from qsquared.storage.logs.wrappings import LINES

_MOST_RECORDS = 2000
"""The records of a server's log that are read to find their templates, and to try these."""
_VARYING_WORD = re.compile(r"\{(w\d+[a-z])\}")
_SENTENCE = re.compile(r"[.!?\u2026\u3002\uff1f\uff01](?:\W|\Z)")
_MOST_COMPARED = 60
"""The turns, and the texts of a column, that are compared with each other."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A reading that was tried: a mapping, or a description; and the turns that it gives of the sample.

    ``confidence`` is from 0 to 1, 0 where it is not known.
    """

    mapping: dict[str, str]
    described: Mapping[str, Any]
    turns: Sequence[dict[str, Any]]
    adapter: str = FLAT
    confidence: float = 0.0


def propose(found: Survey) -> tuple[Proposed | None, str]:
    """Return a reading that gives turns with knowledge, or None and what the log lacks."""
    kept = _without_silent(found)
    if found.reading.adapter not in (FLAT, DESCRIBED):
        if more := _with_field_beside(found):
            return more, ""
        if found.reading.options.rows:
            # What stands around the calls of a model may say more than these.
            options = replace(found.reading.options, rows="")
            whole = replace(found.reading, adapter=FLAT, options=options)
            found = survey_rows(found.path, whole, MORE_ROWS)
    of_server = found.reading.file_type == "log"
    # The rows of a server's log are its pairs, or the fields of its records; a collector has these in a field.
    ways = chain([{}], _templates(found, [""] if of_server else _of_collector(found)))
    lacks, sound, field = "", list[Proposed](), ""
    for keys in ways:
        if sound and keys.get("line", field) != field:
            break
        field = keys.get("line", field)
        sampled = replace(found, sample=_records(found, keys)) if keys else found
        units = [row.fields for row in sampled.sample]
        proposals, lack = discover(units, events=of_server or bool(keys))
        lacks = "What its values suggest gives no sound turns." if proposals else lacks or lack
        for proposal in proposals[:3]:
            named = proposal.with_keys(**_named(keys, proposal)) if keys else proposal
            if read := _read_by(sampled, named, kept):
                lost = _lost(found, units, read)
                lacks = lost or lacks
                sound += [] if lost else [replace(read, confidence=proposal.confidence)]
                break
    best = max(sound, key=lambda read: read.confidence, default=None)
    return (replace(best, confidence=min(1.0, best.confidence)), "") if best else (None, lacks)


def _lost(found: Survey, units: Sequence[Unit], read: Proposed) -> str:
    """Return why what a proposal reads is less than what the log holds, empty if it is not."""
    # Other doubts than those of the knowledge are of the replies themselves.
    whole = found.rows == len(found.sample) and found.reading.adapter != FLAT
    replies = [turn["response"] for turn in found.first if whole and "replies" not in found.doubt]
    # Words alone, such as that a request succeeded, are of the program.
    replies = [text for text in replies if isinstance(parsed(text), str) and text]
    said = share_of([len(text.split()) >= 3 for text in replies]) >= 0.5
    if said and not {*replies} <= {turn["response"] for turn in read.turns}:
        return "The best way to read what was retrieved leaves replies out."
    path = left_out(read.turns, units)
    return path and (
        f"The best way to read it leaves out {path}, though replies rest on it. "
        "Name what was retrieved for each reply."
    )


def _templates(found: Survey, fields: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the keys of a description by which the records of a server are read, of those in some fields each with it.

    The field of the file itself has an empty name; of another one its field alone is yielded first.
    """
    for field in fields:
        line = {"line": field} if field else {}
        if field:
            yield line
            rows = _records(found, {**line, "lines": {"": f"{{{TEXT}}}"}})
            texts = [row.fields[TEXT] for row in rows]
        else:
            texts = first_records(found.path, _MOST_RECORDS)
        if lines := templates_of(texts):
            yield {**line, "lines": lines}


def _of_collector(found: Survey) -> list[str]:
    """Return the fields that may have the lines of a server: by their names, or by the times in which many begin."""

    def begins_with_time(text: str) -> bool:
        return " " in text and is_timed(text.encode("utf-8", "replace"))

    columns = _columns(found).values()
    single = [one for one in columns if one.is_single and "[" not in one.path]
    named = {one.path for one in single if one.name.lower() in LINES}
    timed = {one.path for one in single if one.share(begins_with_time) >= 0.3}
    return [one.path for one in single if one.path in named | timed]


def _columns(found: Survey) -> dict[str, Column]:
    """Return the columns of the sample of a log."""
    return columns_of([row.fields for row in found.sample])


def _named(keys: Mapping[str, Any], proposal: Proposal) -> dict[str, Any]:
    """Return the keys by which records are read, their templates without the names of words that are not read."""
    paths = [*proposal.described.get("group", ()), *chain(*proposal.fields.values())]
    lines = {
        event: _VARYING_WORD.sub(lambda word: word[0] if word[1] in paths else "{}", line)
        for event, line in keys.get("lines", {}).items()
    }
    return {**keys, "lines": lines} if lines else dict(keys)


def _records(found: Survey, keys: Mapping[str, Any]) -> list[RawRow]:
    """Return the first records of a server's log, as the keys of a description say."""
    options = replace(found.reading.options, described=keys)
    rows = replace(found.reading, options=options).raw_rows(found.path, any_columns=True)
    first = islice(rows, _MOST_RECORDS)
    return [row for row in first if isinstance(row, RawRow) and row.fields]


def _without_silent(found: Survey) -> dict[str, str]:
    """Return the mapping of the fields that hold something."""
    mapping = found.reading.mapping.items()
    return {theirs: ours for theirs, ours in mapping if theirs not in found.silent}


def _read_by(found: Survey, proposal: Proposal, kept: dict[str, str]) -> Proposed | None:
    """Return what a proposal gives of the sample, by a mapping or by a description; None if it is unsound.

    A mapping that a person stated is ``kept``, and says then all that the proposal may.
    """
    outer = found.reading.options.rows
    own = {path: ours for path, ours in proposal.mapping.items() if ours not in kept.values()}
    mapping = {} if outer else {**kept, **own}
    # A description that failed has no part in what is proposed in its place.
    plain = replace(found.reading.options, described=None, sheet=found.reading.options.read_sheet)
    flat = replace(found.reading, adapter=FLAT, mapping=mapping, options=plain)
    mapped = _tried(flat, found) if mapping else None
    options = replace(found.reading.options, described=proposal.described, rows="")
    reading = Reading(found.reading.file_type, DESCRIBED, {}, options)
    tried = None if kept else _tried(reading, found)
    # A mapping says less: it leaves a text that lists passages as one.
    if mapped and (tried is None or _knowledge(tried) == _knowledge(mapped)):
        return mapped
    if tried is None or (proposal.rows and _are_passages(found, proposal.rows, tried.turns)):
        return None
    path = ".".join(filter(None, (outer, proposal.rows)))
    rows = {"rows": [path]} if path else {}
    return replace(tried, described={**proposal.described, **rows})


def _knowledge(read: Proposed) -> list[list[str]]:
    """Return the passages of each turn, each passage once."""
    return [[*dict.fromkeys(turn["knowledge"])] for turn in read.turns]


def turns_by(reading: Reading, sample: Sequence[RawRow]) -> list[dict[str, Any]]:
    """Return the turns that a reading gives of some rows of a log."""
    rows = (row for row in reading.read(iter(sample)) if isinstance(row, RawRow))
    read = (reading.turn_of(row, "", "") for row in rows)
    return [turn for turn in read if isinstance(turn, dict)]


def _tried(reading: Reading, found: Survey) -> Proposed | None:
    """Return what a reading gives of the sample, None if too few turns have knowledge or they look misread."""
    turns = turns_by(reading, found.sample)
    # The conversation itself is no knowledge.
    said = {text for turn in turns for text in (turn["response"], *turn["history"])}
    knowing = [turn for turn in turns if turn["knowledge"] and turn["status"] is None]
    sound = [turn for turn in knowing if said.isdisjoint(turn["knowledge"])]
    # What is said before any question, as a greeting, rests on nothing; neither does, where a log names what tools
    # returned, what is said without a call.
    asked = [turn for turn in turns if turn["history"]]
    stated = reading.options.described or {}
    data = names_tools(stated.get("fields", {}).get("knowledge", ()))
    tools = data or names_tools(stated.get("kinds", {}).get("tool", ()))
    few = not tools and 2 * len(sound) < len(asked or turns)
    if not sound or few or doubts(turns, data=data) or _are_searches(sound):
        return None
    return Proposed(dict(reading.mapping), reading.options.described or {}, turns, reading.adapter)


def _are_searches(turns: Sequence[dict[str, Any]]) -> bool:
    """Whether four replies or more have no sentence and six words at most, beside passages of sentences.

    They are what was searched for.
    """
    replies = [turn["response"] for turn in turns]
    passages = [passage for turn in turns for passage in turn["knowledge"]]
    short = len(turns) > 3 and mean(len(text.split()) for text in replies) <= 6
    sentences = share_of([*map(_SENTENCE.search, passages)]) >= 0.8
    return short and sentences and not any(map(_SENTENCE.search, replies))


def _are_passages(found: Survey, rows: str, turns: Sequence[dict[str, Any]]) -> bool:
    """Whether the rows of turns are single passages: longer texts elsewhere repeat more of these than the replies."""
    knowing = [turn for turn in turns if turn["knowledge"]][:_MOST_COMPARED]
    # A question beside both says that they are a whole turn.
    if not knowing or any(len(turn["knowledge"]) > 1 or turn["history"] for turn in knowing):
        return False
    passages = [turn["knowledge"][0] for turn in knowing]
    replies = [turn["response"] for turn in knowing]
    shared = SharedWords(passages)
    repeated = mean(map(shared.within, passages, replies))
    length = mean(map(len, replies))

    def is_reply(text: str) -> bool:
        """Whether a text is more of a reply to the passages than the turns' own."""
        # A prompt holds its passages, and is nobody's reply.
        whole = asks(text) or text in replies or any(passage in text for passage in passages)
        if whole or len(text) <= length:
            return False
        return any(shared.within(passage, text) > repeated for passage in passages)

    for path, column in _columns(found).items():
        if not path.startswith(rows) and column.is_prose and not column.is_expected:
            texts = [value for value in column.all_values if isinstance(value, str)]
            if share_of([is_reply(text) for text in texts[:_MOST_COMPARED]]) > 0.25:
                return True
    return False


def _with_field_beside(found: Survey) -> Proposed | None:
    """Return a mapping of the field whose texts the replies of a known format share words with, None without one."""
    for path, column in _columns(found).items():
        if path not in found.unused or column.is_constant or not column.may_be_knowledge():
            continue
        tried = _tried(replace(found.reading, mapping={path: "knowledge"}), found)
        # One field has nothing to say of several replies.
        if tried and len(tried.turns) <= len(found.sample):
            replies = [turn["response"] for turn in tried.turns]
            passages = ["\n".join(turn["knowledge"]) for turn in tried.turns]
            if SharedWords(replies).lift(replies, passages) >= 0.3:
                return tried
    return None


def own_names(found: Survey) -> dict[str, str]:
    """Return the fields that name a log's turns, their conversations and times, where the turns lack them.

    Empty if a turn has an id of its own, or no field of the log has one.
    """
    numbered = (turn["id"].startswith(f"{found.path.name}:") for turn in found.shown)
    if found.reading.adapter != FLAT or not found.shown or not all(numbered):
        return {}
    named = ids_and_times(_columns(found))
    own: dict[str, str] = {}
    for part in ("id", "conversation_id", "timestamp") if "id" in named else ():
        lacking = part == "id" or all(turn[part] is None for turn in found.shown)
        if part in named and lacking and named[part][0] not in found.reading.mapping:
            own[named[part][0]] = part
    return own


def reads_without_silent(found: Survey) -> bool:
    """Whether the log is read well once the mapped fields that hold nothing are left out."""
    reading = replace(found.reading, mapping=_without_silent(found))
    return bool(found.silent) and _tried(reading, found) is not None
