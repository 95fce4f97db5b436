"""Show why a reply got its score: ``q2 explain``."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from qsquared.cli.help_pages import examples
from qsquared.cli.options import DEFAULT_STORE, ProfileOption, StoreOption, app
from qsquared.errors import UsageError
from qsquared.text import visible

if TYPE_CHECKING:
    from qsquared.storage.outputs.explanations import ExplainedTurn

_PICTURE_WIDTH = 120
_FONTS = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)


@app.command(
    epilog=examples(
        "q2 explain 1117-004 1117-007",
        "q2 explain 1117-004 --json | jq .spans",
        "q2 explain --response 'It opens at 9.' --knowledge 'The pool opens at 10.'",
    )
)
def explain(
    turns: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]…", help="Ids of turns, as in the log.")
    ] = None,
    response: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A reply to score now, without a store.")
    ] = None,
    knowledge: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="A passage beside it; repeatable.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    profile: ProfileOption = "compact",
    everything: Annotated[
        bool, typer.Option("--all", help="Show the questions that do not count, too.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write one JSON object for each turn.")
    ] = False,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw what is shown into an SVG file.")
    ] = None,
) -> None:
    """Show a reply with its spans, questions, both answers and verdicts."""
    unknown = None
    if turns and response is None and not knowledge:
        parts, unknown = _of_the_store(store, turns, profile)
    elif not turns and response is not None and knowledge:
        parts = [_explain_now(response, knowledge, profile)]
    else:
        raise UsageError(
            "Either a turn of the store is explained, or a reply beside its knowledge.",
            "Write q2 explain ID, or q2 explain --response TEXT --knowledge TEXT; see q2 explain --help.",
        )
    if unknown is not None and not parts:
        raise unknown
    if as_json:
        _write_json(parts)
    elif svg is None:
        Console().print(_shown(parts, profile, everything))
    else:
        # A picture is shown to others, whom the folders of this machine do not concern.
        content = _shown(parts, profile, everything, folders=False)
        _draw(content, svg, f"q2 explain {visible(' '.join(turns or ['--response …']))}")
    if unknown is not None:
        raise unknown


def _of_the_store(
    store: Path, ids: Sequence[str], profile: str
) -> tuple[list[ExplainedTurn], UsageError | None]:
    """Return the turns with some ids, and the error for ids that no turn has."""
    from qsquared.storage.outputs.explanations import explain_turns, nearest_ids
    from qsquared.storage.records.store_index import store_option
    from qsquared.storage.sql.catalogue import connect
    from qsquared.storage.store import Store

    opened = Store.open(store)
    turns: list[ExplainedTurn] = []
    unknown: dict[str, list[str]] = {}
    with connect(opened) as connection:
        for turn in ids:
            if found := explain_turns(connection, turn, profile):
                turns += found
            else:
                unknown[turn] = nearest_ids(connection, turn)
    if not unknown:
        return turns, None
    near = ", ".join(dict.fromkeys(visible(one) for names in unknown.values() for one in names))
    return turns, UsageError(
        f"No turn in the store {opened.root} has the id {' or '.join(map(repr, unknown))}.",
        f"The nearest are: {near}. Another store: --store DIR"
        if near
        else f"It has no turns; score a log first: q2 score LOGS {store_option(opened)}",
    )


def _explain_now(response: str, knowledge: Sequence[str], profile: str) -> ExplainedTurn:
    from qsquared.api import explain as explain_reply
    from qsquared.storage.outputs.explanations import ExplainedTurn

    return ExplainedTurn({}, {}, explain_reply(response, knowledge, profile=profile).content)


def _write_json(parts: Sequence[ExplainedTurn]) -> None:
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    escaped = encoding != "utf8" or sys.stdout.isatty()
    for one in parts:
        sys.stdout.write(json.dumps(one.to_json(), ensure_ascii=escaped) + "\n")


def _shown(
    parts: Sequence[ExplainedTurn], profile: str, everything: bool, *, folders: bool = True
) -> Group:
    """Return the explanations; one of a turn stands below its id and the line of the log that holds it."""
    from qsquared.cli.explanation import shown

    found: list[RenderableType] = []
    for number, one in enumerate(parts):
        if number:
            found.append(Rule())
        if turn := one.turn:
            source = turn["source"] if folders else Path(turn["source"]).name
            place = f"{visible(turn['id'])}  ({visible(source)}:{turn['line']})"
            found.append(Text(place, "bold"))
        found.append(shown(one.explanation, profile, everything))
    return Group(*found)


def _draw(content: Group, path: Path, title: str) -> None:
    """Write an SVG that names no font on the net, so that opening it asks no other machine."""
    from rich._export_format import CONSOLE_SVG_FORMAT

    from qsquared.storage.files.atomic import written_whole

    console = Console(
        record=True, width=_PICTURE_WIDTH, file=StringIO(), force_terminal=True, no_color=False,
        color_system="truecolor", legacy_windows=False,
    )  # fmt: skip
    console.print(content)
    drawn = console.export_svg(
        title=title, code_format=_FONTS.sub("", CONSOLE_SVG_FORMAT), unique_id="q2-explain"
    )
    with written_whole(path, "picture") as temporary:
        temporary.write_text(drawn, encoding="utf-8")
