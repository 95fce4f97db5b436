"""Complain about a log that would be misread, and say what it holds and what to try.

Sentences are made here of what a survey found, for the person whose log it is: a complaint with the proposals that
were tried and the commands that read the log by them, or a summary with what to be wary of.
"""

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
from qsquared.storage.logs.surveys.descriptions import ROWS, as_toml, in_words, leading_nowhere
from qsquared.storage.logs.surveys.proposals import Proposed, propose, reads_without_silent
from qsquared.storage.logs.surveys.survey import Survey, has_marks, survey_log

_EXAMPLE = 60
"""The characters of an example, of a mark and of a text of a turn that are shown."""


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
    nowhere = leading_nowhere(found.reading.described, found.sample, str(found.path))
    advice = [] if logs is None else [*nowhere, _advice(found, store, logs or [str(found.path)])]
    return UnusableLogError(f"The log {found.path} {problem}", "\n".join(advice))


def ignored(found: Survey) -> str:
    """Return what was stated of a log and has no effect on it, empty if all has."""
    nowhere = leading_nowhere(found.reading.described, found.sample, str(found.path))
    sentences = [sentence for sentence in nowhere if sentence.startswith(ROWS)]
    if found.reading.options.sheet and found.reading.file_type != "xlsx":
        sentences.append(f"--sheet has no effect on {found.path}, which is no workbook.")
    return " ".join(sentences)


def _problem(found: Survey, others: Sequence[Survey]) -> str | None:
    """Return what is wrong with a log, as the end of a sentence, None if it may be read beside others."""
    if found.silent and found.rows and found.sample:
        names = ", ".join(map(repr, found.silent))
        fields = "fields" if len(found.silent) > 1 else "a field"
        return f"has no value in {fields} that --map names: {names}."
    between = found.reading.options.between
    if found.rows and between and not found.marked and not any(other.marked for other in others):
        marks = f"{between[0]!r} and {between[1]!r}"
        return f"holds no text between the marks of --context-between: {marks}."
    if not found.turns:
        return _without_turn(found) if found.rows else None
    if found.doubt:
        return f"would be misread ({how_read(found)}): {found.doubt}."
    same = (other for other in others if other.reading.format == found.reading.format)
    if found.knowing or any(other.knowing for other in same):
        return None
    return f"gives {count(found.turns, 'turn')} and no knowledge with any ({how_read(found)})."


def _unmarked(found: Survey) -> str:
    """Return that fields of the knowledge lack the marks of ``--context-between`` that others have; else empty."""
    between, rows = found.reading.options.between, [row.fields for row in found.sample]
    if between is None or found.reading.adapter != FLAT:
        return ""
    marked = {path for row in rows for path, text in leaves(row) if has_marks(text, between)}
    unmarked = set[str]()
    for path in found.reading.source["knowledge"].split(AND):
        values = [value for row in rows for _, value in leaves({"": value_at(row, path)})]
        given = any(isinstance(value, str) for value in values) or not found.knowing
        if given and not any(has_marks(value, between) for value in values):
            unmarked.add(path)
    if not marked or not unmarked:
        return ""
    where, without = (", ".join(map(repr, sorted(paths))) for paths in (marked, unmarked))
    return (
        f"has the marks of --context-between in {where}, and not in {without}: of that nothing is "
        "read. Map as knowledge what has the marks alone"
    )


def _without_turn(found: Survey) -> str:
    """Return that a log gives no turn, with the most frequent reason of its rejects."""
    nothing = f"gives no turn ({how_read(found)})"
    if not found.reasons:
        return f"{nothing}."
    reason, number = found.reasons.most_common(1)[0]
    return f"{nothing}: {count(found.rejects, 'reject')}, {number:,} of them: {reason}"


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
    wary = warning_of(found.path, found.turns, found.scored, found.knowing, found.rejects, reason)
    more = f"{lacking(found)} {_unused(found)}".strip() if found.knowing else ""
    return wary and f"{wary} {more}".rstrip()


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
    """Return a sentence with the fields whose texts were not used, empty if there are none."""
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
    shown = dict(islice(found.examples.items(), 24))
    width = min(40, max(map(len, shown), default=0))
    for name, example in shown.items():
        lines.append(f"  {visible(name):<{width}}  {shorten(example, _EXAMPLE)}")
    if len(found.examples) > len(shown):
        lines.append(f"  … and {len(found.examples) - len(shown)} more")
    by_hand = (
        "Name the fields with --map theirs=response --map theirs=knowledge (paths such as hits[].text "
        "are allowed); passages within a prompt: --context-between BEGIN END. docs/logs.md has the "
        "formats that are known."
    )
    if reads_without_silent(found):
        stated = _options_of({theirs: found.reading.mapping[theirs] for theirs in found.silent})
        lines.append(f"Leave out {stated}: without it the log is read.")
    else:
        proposed, lacks = propose(found)
        if proposed:
            lines += _commands(found, proposed, store, logs)
        elif missing := lacking(found):
            lines.append(missing)
        else:
            lines += _of_sheets(found, store, logs) or filter(None, (lacks, by_hand))
    return "\n".join(lines)


def _of_sheets(found: Survey, store: str, logs: Sequence[str]) -> list[str]:
    """Return how the first sheet that holds turns is read, else the names of the other sheets of a workbook."""
    options = found.reading.options
    several = found.reading.file_type == "xlsx" and not options.read_sheet
    names = sheet_names(found.path)[1:] if several else []
    if not names:
        return []
    sheets = f"Its other sheets, read with --sheet NAME: {', '.join(map(shlex.quote, names))}."
    # A description that is given names its sheet itself.
    for name in [*names, ALL_SHEETS] if options.described is None else ():
        wanted = joined_format("xlsx", replace(options, sheet=name))
        other = survey_log(found.path, found.reading.mapping, wanted)
        as_is = Proposed(dict(found.reading.mapping), {}, other.shown)
        proposed = propose(other)[0] if _problem(other, ()) or not other.turns else as_is
        if proposed is not None:
            return [sheets, *_commands(other, proposed, store, logs)]
    return [sheets]


def _commands(found: Survey, proposed: Proposed, store: str, logs: Sequence[str]) -> list[str]:
    """Return what a proposal reads, by three of its turns, and the commands."""
    log = shlex.join(logs)
    sure = f" (confidence {proposed.confidence:.2f})" if proposed.confidence else ""
    if proposed.described:
        lines = in_words(proposed.described, sure)
        saved = shlex.quote(f"{found.path.stem}.format.toml")
        options, later = f"--save-format {saved}", f"--format-file {saved}"
    else:
        known = f"--format {proposed.adapter} " if proposed.adapter != FLAT else ""
        options = later = f"{known}{_options_of(proposed.mapping)}"
        lines = [f"Did you mean: {options}{sure}"] if options else []
    if sheet := found.reading.options.sheet:
        options = f"--sheet {shlex.quote(sheet)} {options}"
        later = later if proposed.described else options
    for turn in proposed.turns[:3]:
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
    reading, comment = found.reading, f"Reads {found.path.name}: q2 score … --format-file FILE"
    described = proposed.described if proposed else reading.options.described
    if described:
        sheet = reading.options.read_sheet
        return as_toml({**described, "sheet": sheet} if sheet else described, comment)
    mapping = proposed.mapping if proposed else reading.mapping
    own = proposed is not None and "response" in mapping.values()
    wanted = reading.file_type if own else reading.format
    return as_toml({"format": wanted, "fields": mapping}, comment)


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
