"""Commands that read a log as it is proposed, with what they give of its first rows."""

import shlex
from collections.abc import Mapping, Sequence

from qsquared.storage.logs.engines.grouping import FLAT
from qsquared.storage.logs.surveys.proposals import Proposed
from qsquared.storage.logs.surveys.survey import Survey
from qsquared.text import shorten, visible

_EXAMPLE = 60
_SHOWN = 3


def commands(found: Survey, proposed: Proposed, store: str, logs: Sequence[str]) -> list[str]:
    """Return what a proposal reads, by three of its turns, and the commands."""
    log = shlex.join(logs)
    sure = f" (confidence {proposed.confidence:.2f})" if proposed.confidence else ""
    if not proposed.described:
        known = f"--format {proposed.adapter} " if proposed.adapter != FLAT else ""
        options = later = f"{known}{options_of(proposed.mapping)}"
        lines = [f"Did you mean: {options}{sure}"] if options else []
    else:
        fields = proposed.described["fields"]
        rows = "".join(f"rows from {path}; " for path in proposed.described.get("rows", ()))
        parts = (
            f"{part} from {' and '.join(map(visible, paths))}" for part, paths in fields.items()
        )
        lines = [f"Its values suggest{sure}: {rows}{'; '.join(parts)}."]
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


def options_of(mapping: Mapping[str, str]) -> str:
    """Return the options that state a mapping."""
    return " ".join(f"--map {shlex.quote(f'{theirs}={ours}')}" for theirs, ours in mapping.items())
