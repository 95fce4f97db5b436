"""Show why replies got their scores: ``q2 explain`` one by one, ``q2 export`` all of them as a table."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from qsquared.cli.help_pages import app
from qsquared.cli.options import (
    DEFAULT_STORE,
    ProfileOption,
    StoreOption,
    file_to_write,
    open_store,
)
from qsquared.cli.terminal.printing import say, show
from qsquared.display import count, visible
from qsquared.errors import UsageError

if TYPE_CHECKING:
    from qsquared.storage.outputs.explanations import ExplainedTurn


@app.command()
def explain(
    turns: Annotated[list[str] | None, typer.Argument()] = None,
    response: str | None = None,
    knowledge: list[str] | None = None,
    store: StoreOption = DEFAULT_STORE,
    profile: ProfileOption = "compact",
    everything: Annotated[bool, typer.Option("--all")] = False,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Show a reply with its spans, questions, both answers and verdicts.

    Args:
        turns ([ID]…): Ids of turns, as in the log.
        response (TEXT): A reply to score now, without a store.
        knowledge (TEXT): A passage beside it; repeatable.
        everything: Show the questions that do not count, too, and each supported span.
        as_json: Write one JSON object for each turn.

    Examples:
        q2 explain 1117-004 1117-007
        q2 explain 1117-004 --json | jq .spans
        q2 explain --response 'It opens at 9.' --knowledge 'The pool opens at 10.'
    """
    unknown = None
    if turns and response is None and not knowledge:
        parts, unknown = _of_the_store(store, turns, profile)
    elif not turns and response is not None and knowledge:
        from qsquared.api import explain as explain_reply
        from qsquared.storage.outputs.explanations import ExplainedTurn

        now = explain_reply(response, knowledge, profile=profile).content
        parts = [ExplainedTurn({}, {}, now)]
    else:
        raise UsageError(
            "Either a turn of the store is explained, or a reply beside its knowledge.",
            "Write q2 explain ID, or q2 explain --response TEXT --knowledge TEXT; see q2 explain --help.",
        )
    if as_json:
        _write_json(parts)
    elif parts:
        show(_shown(parts, profile, everything))
    if unknown is not None:
        raise unknown


def _of_the_store(
    store: Path, ids: Sequence[str], profile: str
) -> tuple[list[ExplainedTurn], UsageError | None]:
    """Return the turns with some ids, and the error for ids that no turn has."""
    from qsquared.storage.outputs.explanations import explain_turns, nearest_ids
    from qsquared.storage.sql.views import connect
    from qsquared.storage.store import store_option

    opened = open_store(store)
    turns: list[ExplainedTurn] = []
    unknown: dict[str, list[str]] = {}
    with connect(opened) as connection:
        for turn in ids:
            if explained := explain_turns(connection, turn, profile):
                turns += explained
            else:
                unknown[turn] = nearest_ids(connection, turn)
    if not unknown:
        return turns, None
    near = ", ".join(dict.fromkeys(visible(name) for names in unknown.values() for name in names))
    return turns, UsageError(
        f"No turn in the store {opened.root} has the id {' or '.join(map(repr, unknown))}.",
        f"The nearest are: {near}. Another store: --store DIR"
        if near
        else f"It has no turns; score a log first: q2 score LOGS {store_option(opened)}",
    )


def _write_json(parts: Sequence[ExplainedTurn]) -> None:
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    escaped = encoding != "utf8" or sys.stdout.isatty()
    for part in parts:
        sys.stdout.write(json.dumps(part.to_json(), ensure_ascii=escaped) + "\n")


def _shown(parts: Sequence[ExplainedTurn], profile: str, everything: bool) -> Group:
    """Return the explanations; one of a turn stands below its id and the line of the log that holds it."""
    from qsquared.cli.terminal.explanation import shown

    blocks: list[RenderableType] = []
    for number, part in enumerate(parts):
        if number:
            blocks.append(Rule())
        if turn := part.turn:
            heading = f"{visible(turn['id'])}  ({visible(turn['source'])}:{turn['line']})"
            blocks.append(Text(heading, "bold"))
        blocks.append(shown(part.explanation, profile, everything))
    return Group(*blocks)


_VIEWS = "turns scores sentences sentence_scores sentence_entailment spans evidence"


@app.command()
def export(
    out: Annotated[Path, typer.Option(parser=file_to_write)],
    store: StoreOption = DEFAULT_STORE,
    profile: ProfileOption = "compact",
) -> None:
    """Write the scores and explanations of all turns as a table.

    Args:
        out (FILE): File to write: .csv, .parquet or .jsonl; a missing folder is made.

    Example:
        q2 export --out scores.csv
    """
    from qsquared.storage.outputs.explanations import all_explained
    from qsquared.storage.outputs.exports import write_export
    from qsquared.storage.outputs.results import check_form
    from qsquared.storage.records.runs import note_written
    from qsquared.storage.sql.views import connect

    check_form(out)
    opened = open_store(store)
    with connect(opened, _VIEWS) as connection, Console().status("writing") as status:
        rows = write_export(
            all_explained(connection, profile),
            profile,
            out,
            lambda turns: status.update(f"writing, {count(turns, 'turn')} done"),
        )
    note_written(opened, out)
    say(f"{out} ({count(rows, 'row')}): a row a turn")
