"""Propose how to read a log that gives no turn, or none with knowledge, as it is read.

Each proposal was tried on the log's first rows.
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
from qsquared.storage.logs.surveys.columns.values import Unit, columns_of
from qsquared.storage.logs.surveys.discovery import discover
from qsquared.storage.logs.surveys.doubts import doubts, left_out
from qsquared.storage.logs.surveys.shapes.lines import templates_of
from qsquared.storage.logs.surveys.shapes.speakers import names_tools
from qsquared.storage.logs.surveys.survey import MORE_ROWS, Survey, survey_rows
from qsquared.storage.logs.wrappings import LINES

_LEAST_SHARED = 0.3
_MOST_TRIED = 3
_MOST_RECORDS = 2000
_SOME_TIMED = 0.3
_FEW, _HALF, _MOST, _WORDS = 3, 0.5, 0.8, 6
_WORD = re.compile(r"\{(w\d+[a-z])\}")
_SENTENCE = re.compile(r"[.!?\u2026\u3002\uff1f\uff01](?:\W|\Z)")
_MOST_COMPARED = 60
_PASSED_OVER = 0.25
"""The share of a column's texts that are more of a reply than the turns' own, from which on it has the replies."""


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
    if found.reading.adapter not in (FLAT, DESCRIBED) and (more := _beside(found)):
        return more, ""
    if found.reading.adapter not in (FLAT, DESCRIBED) and found.reading.options.rows:
        # What stands around the calls of a model may say more than these.
        options = replace(found.reading.options, rows="")
        whole = replace(found.reading, adapter=FLAT, options=options)
        found = survey_rows(found.path, whole, MORE_ROWS)
    lacks, sound = "", list[Proposed]()
    of_server = found.reading.file_type == "log"
    # The rows of a server's log are its pairs, or the fields of its records; a collector has these in a field.
    ways = chain([{}], _templates(found, [""] if of_server else _of_collector(found)))
    field = ""
    for stated in ways:
        if sound and stated.get("line", field) != field:
            break
        field = stated.get("line", field)
        sample = _records(found, stated) if stated else found.sample
        units = [row.fields for row in sample]
        proposals, told = discover(units, events=of_server or bool(stated))
        lacks = "What its values suggest gives no sound turns." if proposals else lacks or told
        owned = (
            (one, one.with_keys(**_named(stated, one)) if stated else one) for one in proposals
        )
        for one, own in islice(owned, _MOST_TRIED):
            read = _read_by(replace(found, sample=sample), own, kept)
            told = _lost(found, units, read) if read else ""
            lacks = told or lacks
            if read and not told:
                sound.append(replace(read, confidence=one.confidence))
            if read:
                break
    best = max(sound, key=lambda read: read.confidence, default=None)
    return (replace(best, confidence=min(1.0, best.confidence)), "") if best else (None, lacks)


def _lost(found: Survey, units: Sequence[Unit], read: Proposed) -> str:
    """Return why what a proposal reads is less than what the log holds, empty if it is not."""
    # Other doubts than those of the knowledge are of the replies themselves.
    whole = found.rows == len(found.sample) and found.reading.adapter != FLAT
    known = [turn["response"] for turn in found.first if whole and "replies" not in found.doubt]
    # Words alone, such as that a request succeeded, are of the program.
    known = [text for text in known if isinstance(parsed(text), str) and text]
    told = share_of([len(text.split()) >= _FEW for text in known]) >= _HALF
    if told and not {*known} <= {turn["response"] for turn in read.turns}:
        return "The best way to read what was retrieved leaves replies out."
    path = left_out(read.turns, units)
    return path and (
        f"The best way to read it leaves out {path}, though replies rest on it. "
        "Name what was retrieved for each reply."
    )


def _templates(found: Survey, fields: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the templates of the records of a server, of those in some fields each with its field."""
    for field in fields:
        of_field = {"line": field} if field else {}
        if field:
            rows = _records(found, {**of_field, "lines": {"": f"{{{TEXT}}}"}})
            texts = [row.fields[TEXT] for row in rows]
            yield of_field
        else:
            texts = first_records(found.path, _MOST_RECORDS)
        if lines := templates_of(texts):
            yield {**of_field, "lines": lines}


def _of_collector(found: Survey) -> list[str]:
    """Return the fields that may have the lines of a server: by their names, or by the times in which many begin."""
    made = columns_of([row.fields for row in found.sample])
    single = [one for one in made.values() if one.is_single and "[" not in one.path]

    def begins(text: str) -> bool:
        return " " in text and is_timed(text.encode("utf-8", "replace"))

    timed = [one for one in single if one.share(begins) >= _SOME_TIMED]
    return [one.path for one in single if one.name.lower() in LINES or one in timed]


def _named(stated: Mapping[str, Any], proposal: Proposal) -> dict[str, Any]:
    """Return where the lines of a server are, with templates without the names of words that are not read."""
    paths = [*proposal.described.get("group", ()), *chain(*proposal.fields.values())]
    lines = {
        event: _WORD.sub(lambda word: word[0] if word[1] in paths else "{}", line)
        for event, line in stated.get("lines", {}).items()
    }
    return {**stated, "lines": lines} if lines else dict(stated)


def _records(found: Survey, stated: Mapping[str, Any]) -> list[RawRow]:
    """Return the first records of a server's log by their templates."""
    options = replace(found.reading.options, described=stated)
    rows = replace(found.reading, options=options).raw_rows(found.path, any_columns=True)
    first = islice(rows, _MOST_RECORDS)
    return [row for row in first if isinstance(row, RawRow) and row.fields]


def _without_silent(found: Survey) -> dict[str, str]:
    """Return the mapping of the fields that hold something."""
    return {t: o for t, o in found.reading.mapping.items() if t not in found.silent}


def _read_by(found: Survey, proposal: Proposal, kept: dict[str, str]) -> Proposed | None:
    """Return what a proposal gives of the sample, by a mapping or by a description; None if it is unsound."""
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
    if mapped and (tried is None or _known(tried) == _known(mapped)):
        return mapped
    if tried is None or (proposal.rows and _are_passages(found, proposal.rows, tried.turns)):
        return None
    path = ".".join(filter(None, (outer, proposal.rows)))
    return replace(tried, described={**proposal.described, **({"rows": [path]} if path else {})})


def _known(read: Proposed) -> list[list[str]]:
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
    if not sound or few or doubts(turns, data=data) or _searches(sound):
        return None
    return Proposed(dict(reading.mapping), reading.options.described or {}, turns, reading.adapter)


def _searches(turns: Sequence[dict[str, Any]]) -> bool:
    """Whether what would be replies has no sentence, beside passages that have some, as what was searched for."""
    said = [_SENTENCE.search(turn["response"]) for turn in turns]
    passages = [_SENTENCE.search(one) for turn in turns for one in turn["knowledge"]]
    short = mean(len(turn["response"].split()) for turn in turns) <= _WORDS
    return len(turns) > _FEW and short and not any(said) and share_of(passages) >= _MOST


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
    for path, column in columns_of([row.fields for row in found.sample]).items():
        if path.startswith(rows) or not column.is_prose or column.is_expected:
            continue
        texts = [one for one in column.all_values if isinstance(one, str)]
        more = [
            len(text) > length
            and text not in replies
            and not asks(text)
            # A prompt holds its passages, and is nobody's reply.
            and not any(passage in text for passage in passages)
            and any(shared.within(passage, text) > repeated for passage in passages)
            for text in texts[:_MOST_COMPARED]
        ]
        if share_of(more) > _PASSED_OVER:
            return True
    return False


def _beside(found: Survey) -> Proposed | None:
    """Return a mapping of the field whose texts the replies of a known format share words with."""
    for path, column in columns_of([row.fields for row in found.sample]).items():
        known = path in found.unused and column.may_be_knowledge() and not column.is_constant
        reading = replace(found.reading, mapping={path: "knowledge"})
        tried = _tried(reading, found) if known else None
        # One field has nothing to say of several replies.
        if tried and len(tried.turns) <= len(found.sample):
            texts = [turn["response"] for turn in tried.turns]
            passages = ["\n".join(turn["knowledge"]) for turn in tried.turns]
            if SharedWords(texts).lift(texts, passages) >= _LEAST_SHARED:
                return tried
    return None


def own_names(found: Survey) -> dict[str, str]:
    """Return the fields that name a log's turns, their conversations and times, where the turns lack them.

    Empty if a turn has an id of its own, or no field of the log has one.
    """
    numbered = (turn["id"].startswith(f"{found.path.name}:") for turn in found.shown)
    if found.reading.adapter != FLAT or not found.shown or not all(numbered):
        return {}
    named = ids_and_times(columns_of([row.fields for row in found.sample]))
    parts = [part for part in ("id", "conversation_id", "timestamp") if part in named]
    lacking = [p for p in parts if p == "id" or all(turn[p] is None for turn in found.shown)]
    theirs = {named[part][0]: str(part) for part in lacking}
    own = {path: ours for path, ours in theirs.items() if path not in found.reading.mapping}
    return own if "id" in named else {}


def reads_without_silent(found: Survey) -> bool:
    """Whether the log is read well once the mapped fields that hold nothing are left out."""
    reading = replace(found.reading, mapping=_without_silent(found))
    return bool(found.silent) and _tried(reading, found) is not None
