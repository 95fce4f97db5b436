"""Complain about a log that would be misread, and say what it holds and what to try."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from qsquared.display import count, shorten, visible
from qsquared.errors import UnusableLogError
from qsquared.storage.logs.fields.field_paths import leaves, value_at
from qsquared.storage.logs.fields.mapping import AND
from qsquared.storage.logs.file_types.dialects import UTF8
from qsquared.storage.logs.file_types.headed_rows import ALL_SHEETS, sheet_names
from qsquared.storage.logs.format_engines.formats import known_formats
from qsquared.storage.logs.format_engines.recognition import FLAT
from qsquared.storage.logs.read_options import joined_format
from qsquared.storage.logs.surveys.descriptions import ROWS, as_toml, leading_nowhere
from qsquared.storage.logs.surveys.proposals import Proposed, propose, reads_without_silent
from qsquared.storage.logs.surveys.survey import Survey, has_marks, survey_log

_MOST_FIELDS = 24
_EXAMPLE = 60
_RECORD = 160
_SHOWN = 3


def complaint(
    found: Survey, others: Sequence[Survey] = (), store: str = "", logs: Sequence[str] | None = ()
) -> UnusableLogError | None:
    """Return why a log must not be read as it would be, None if it may.

    A log without rows may be read, and one without knowledge if another of its format has some.

    Args:
        found: the survey of the log.
        others: the surveys of the other logs that are read with it.
        store: the store that it would be read into, as a person named it.
        logs: the logs of the commands that are proposed, by default this one; None for no advice.
    """
    if unmarked := _unmarked(found):
        hint = "A description reads both (`cut` and `more` in docs/logs.md)."
        return UnusableLogError(f"The log {found.path} {unmarked}.", hint)
    problem = _problem(found, others)
    if problem is None:
        return None
    told = leading_nowhere(found.reading.described, found.sample, str(found.path))
    advice = [] if logs is None else [*told, _advice(found, store, logs or [str(found.path)])]
    return UnusableLogError(f"The log {found.path} {problem}", "\n".join(advice))


def ignored(found: Survey) -> str:
    """Return what was stated of a log and has no effect on it, empty if all has."""
    told = leading_nowhere(found.reading.described, found.sample, str(found.path))
    lost = [one for one in told if one.startswith(ROWS)]
    if found.reading.options.sheet and found.reading.file_type != "xlsx":
        lost.append(f"--sheet has no effect on {found.path}, which is no workbook.")
    return " ".join(lost)


def _problem(found: Survey, others: Sequence[Survey]) -> str | None:
    if found.silent and found.rows and found.sample:
        names = ", ".join(map(repr, found.silent))
        held = "fields" if len(found.silent) > 1 else "a field"
        return f"has no value in {held} that --map names: {names}."
    between = found.reading.options.between
    if found.rows and between and not found.marked and not any(other.marked for other in others):
        marks = f"{between[0]!r} and {between[1]!r}"
        return f"holds no text between the marks of --context-between: {marks}."
    if not found.turns:
        return _without_turn(found) if found.rows else None
    same = (other for other in others if other.reading.format == found.reading.format)
    if found.doubt:
        return f"would be misread ({how_read(found)}): {found.doubt}."
    knowing = found.knowing or any(other.knowing for other in same)
    less = f"gives {count(found.turns, 'turn')} and no knowledge with any ({how_read(found)})."
    return None if knowing else less


def _unmarked(found: Survey) -> str:
    """Return that fields of the knowledge lack the marks of ``--context-between`` that others have; else empty."""
    between, rows = found.reading.options.between, [row.fields for row in found.sample]
    if between is None or found.reading.adapter != FLAT:
        return ""
    marked = {path for row in rows for path, text in leaves(row) if has_marks(text, between)}
    lone = set()
    for path in found.reading.source["knowledge"].split(AND):
        held = [text for row in rows for _, text in leaves({"": value_at(row, path)})]
        given = any(isinstance(text, str) for text in held) or not found.knowing
        lone |= {path} if given and not any(has_marks(text, between) for text in held) else set()
    where, without = (", ".join(map(repr, sorted(held))) for held in (marked, lone))
    told = f"has the marks of --context-between in {where}, and not in {without}: of that nothing"
    return f"{told} is read. Map as knowledge what has the marks alone" if where and lone else ""


def _without_turn(found: Survey) -> str:
    told = f"gives no turn ({how_read(found)})"
    if not found.reasons:
        return f"{told}."
    reason, number = found.reasons.most_common(1)[0]
    return f"{told}: {count(found.rejects, 'reject')}, {number:,} of them: {reason}"


def how_read(found: Survey) -> str:
    """Return how a log is read: its format, an encoding other than UTF-8, and the convention."""
    adapter = known_formats().get(found.reading.adapter)
    described = "a description of your own" if found.reading.described else "one turn a row"
    meaning = adapter.about if adapter else described
    encoded = "" if found.encoding == UTF8 else f" in the encoding {found.encoding}"
    name = found.reading.format.partition(' {"described"')[0]
    return f"read as {name}{encoded}: {meaning}"


def warning(found: Survey) -> str | None:
    """Return what to be wary of in a log that may be read, None if there is nothing."""
    reason = next(iter(found.reasons.most_common(1)), ("", 0))
    told = warning_of(found.path, found.turns, found.scored, found.knowing, found.rejects, reason)
    more = f"{lacking(found)} {_unused(found)}".strip() if found.knowing else ""
    return told and f"{told} {more}".rstrip()


def warning_of(
    path: Path, turns: int, scored: int, knowing: int, rejects: int, reason: tuple[str, int]
) -> str | None:
    """Return what to be wary of by the numbers of a log, None if there is nothing.

    Args:
        path: the log.
        turns: its turns.
        scored: those whose reply is not empty.
        knowing: those with knowledge.
        rejects: its rejects.
        reason: the most frequent reason of a reject, and how many have it.
    """
    if turns and not knowing:
        return f"{path}: no turn has knowledge, so none is scored."
    if knowing and 2 * knowing < scored:
        return (
            f"{path}: only {knowing:,} of {count(scored, 'turn')} have knowledge; the others are not "
            "scored."
        )
    if rejects > turns > 0:
        return f"{path}: {count(rejects, 'reject')}, {reason[1]:,} of them: {reason[0]}"
    return None


def summary(found: Survey) -> str:
    """Return what was found in a log, in one sentence or two."""
    among = "" if found.whole else f" in the first {found.rows:,} rows"
    parts = [f"{count(found.turns, 'turn')}{among}"]
    if found.turns:
        each = f" ({found.passages / found.knowing:.1f} passages each)" if found.passages else ""
        parts.append(f"{found.knowing:,} with knowledge{each}")
        parts.append(f"{found.turns - found.knowing:,} without")
    if found.empty:
        parts.append(f"{found.empty:,} with an empty reply")
    if found.undated:
        parts.append(f"{found.undated:,} whose time could not be read")
    text = ", ".join(parts)
    if found.prompted:
        marks = ", ".join(map(repr, found.prompted))
        text += f"; knowledge out of prompts, after {marks}: {found.prompted.total():,}"
    return f"{text}; {count(found.rejects, 'reject')}. {_unused(found)}".rstrip()


def _unused(found: Survey) -> str:
    if not found.unused:
        return ""
    names = ", ".join(found.unused[:8]) + (", …" if len(found.unused) > 8 else "")
    return f"Fields whose texts were not used: {names}."


def _advice(found: Survey, store: str, logs: Sequence[str]) -> str:
    """Return the fields of a log with examples, and the command that reads it."""
    if not found.sample and found.reading.file_type != "log":
        return (
            "Name its format or encoding with --format or --encoding; docs/logs.md has the formats."
        )
    lines = ["It has these fields:"] if found.examples else []
    shown = dict(islice(found.examples.items(), _MOST_FIELDS))
    width = min(40, max(map(len, shown), default=0))
    lines += [f"  {visible(k):<{width}}  {shorten(one, _EXAMPLE)}" for k, one in shown.items()]
    if len(found.examples) > len(shown):
        lines.append(f"  … and {len(found.examples) - len(shown)} more")
    told = (
        "Name the fields with --map theirs=response --map theirs=knowledge (paths such as hits[].text "
        "are allowed); passages within a prompt: --context-between BEGIN END. docs/logs.md has the "
        "formats that are known."
    )
    if reads_without_silent(found):
        stated = _options_of({theirs: found.reading.mapping[theirs] for theirs in found.silent})
        lines.append(f"Leave out {stated}: without it the log is read.")
    else:
        proposed, lacks = propose(found)
        read = _commands(found, proposed, store, logs) if proposed else []
        lack = [] if read else list(filter(None, [lacking(found)]))
        lines += read or lack or _of_sheets(found, store, logs) or filter(None, (lacks, told))
    return "\n".join(lines)


def _of_sheets(found: Survey, store: str, logs: Sequence[str]) -> list[str]:
    """Return how the first sheet that holds turns is read, else the names of the other sheets of a workbook."""
    options = found.reading.options
    several = found.reading.file_type == "xlsx" and not options.read_sheet
    names = sheet_names(found.path)[1:] if several else []
    told = [f"Its other sheets, read with --sheet NAME: {', '.join(map(shlex.quote, names))}."]
    # A description that is given names its sheet itself.
    for name in [*names, ALL_SHEETS] if names and options.described is None else ():
        wanted = joined_format("xlsx", replace(options, sheet=name))
        other = survey_log(found.path, found.reading.mapping, wanted)
        as_is = Proposed(dict(found.reading.mapping), {}, other.shown)
        proposed = propose(other)[0] if _problem(other, ()) or not other.turns else as_is
        if proposed is not None:
            return [*told, *_commands(other, proposed, store, logs)]
    return told if names else []


def _commands(found: Survey, proposed: Proposed, store: str, logs: Sequence[str]) -> list[str]:
    """Return what a proposal reads, by three of its turns, and the commands."""
    log = shlex.join(logs)
    sure = f" (confidence {proposed.confidence:.2f})" if proposed.confidence else ""
    if not proposed.described:
        known = f"--format {proposed.adapter} " if proposed.adapter != FLAT else ""
        options = later = f"{known}{_options_of(proposed.mapping)}"
        lines = [f"Did you mean: {options}{sure}"] if options else []
    else:
        fields = proposed.described["fields"]
        rows = "".join(f"rows from {path}; " for path in proposed.described.get("rows", ()))
        parts = (f"{part} from {' and '.join(map(visible, at))}" for part, at in fields.items())
        lines = [f"Its values suggest{sure}: {rows}{'; '.join(parts)}."]
        events = proposed.described.get("lines", {}).items()
        lines += [f"Records of {name!r}: {shorten(line, _RECORD)}" for name, line in events]
        for path, marks in proposed.described.get("cut", {}).items():
            shown = ", ".join(repr(shorten(mark, _EXAMPLE)) for mark in marks)
            lines.append(f"Texts of {visible(path)} are cut at {shown}.")
        if same := proposed.described.get("join"):
            lines.append(f"Rows with the same {', '.join(map(visible, same))} are one turn.")
        lines += [
            f"Of {visible(one['rows'])} belong to each of {visible(one['into'])} those whose "
            f"{visible(one['key'])} is its {visible(one['id'])}."
            for one in proposed.described.get("related", ())
        ]
        saved = shlex.quote(f"{found.path.stem}.format.toml")
        options, later = f"--save-format {saved}", f"--format-file {saved}"
    if sheet := found.reading.options.sheet:
        options = f"--sheet {shlex.quote(sheet)} {options}"
        later = later if proposed.described else options
    for turn in proposed.turns[:_SHOWN]:
        passage = turn["knowledge"][0] if turn["knowledge"] else "no knowledge"
        lines.append(f"  {shorten(turn['response'], _EXAMPLE)}  ←  {shorten(passage, _EXAMPLE)}")
    into = f" --store {shlex.quote(store)}" if store else ""
    return [
        *lines,
        f"See what that reads: q2 ingest {log} {options} --preview",
        f"Read it so: q2 ingest {log} {options}{into}",
        f"Then score it: q2 score {log} {later}{into}",
    ]


def _options_of(mapping: Mapping[str, str]) -> str:
    """Return the options that state a mapping."""
    return " ".join(f"--map {shlex.quote(f'{theirs}={ours}')}" for theirs, ours in mapping.items())


def stated_format(found: Survey) -> str:
    """Return the TOML file that reads a log as it was read, or as it is proposed."""
    proposed = propose(found)[0] if complaint(found) is not None else None
    reading, told = found.reading, f"Reads {found.path.name}: q2 score … --format-file FILE"
    described = proposed.described if proposed else reading.options.described
    if described:
        sheet = reading.options.read_sheet
        return as_toml({**described, "sheet": sheet} if sheet else described, told)
    mapping = proposed.mapping if proposed else reading.mapping
    own = proposed is not None and "response" in mapping.values()
    wanted = reading.file_type if own else reading.format
    return as_toml({"format": wanted, "fields": mapping}, told)


def lacking(found: Survey) -> str:
    """Return how a log comes to hold the passages that it lacks, empty if that is not known."""
    rows = [repr(row.fields) for row in found.sample]
    if any("'file_search_call'" in row and "'results': None" in row for row in rows):
        return (
            "File searches in it hold no results. Ask for them in the request, "
            'include=["file_search_call.results"], and log the response again.'
        )
    if found.reading.adapter == "assistants" and not any("'step_details'" in row for row in rows):
        return (
            "It holds messages of threads without their run steps, in which the passages are. List "
            "the steps of each run, too, with "
            "include[]=step_details.tool_calls[*].file_search.results[*].content."
        )
    return ""
