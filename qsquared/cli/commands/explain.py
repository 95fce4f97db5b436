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


@app.command(epilog=examples("q2 explain 1117-004", "q2 explain 1117-004 --json | jq .spans"))
def explain(
    turn: Annotated[str, typer.Argument(metavar="ID", help="Id of a turn, as in the log.")],
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
    from qsquared.storage.outputs.explanations import explain_turns, nearest_ids
    from qsquared.storage.sql.catalogue import connect
    from qsquared.storage.store import Store

    with connect(Store.open(store)) as connection:
        turns = explain_turns(connection, turn, profile)
        if not turns:
            near = ", ".join(map(visible, nearest_ids(connection, turn)))
            raise UsageError(
                f"No turn in the store has the id {turn!r}.",
                f"The nearest are: {near}"
                if near
                else "The store has no turns; score a log first.",
            )
    if as_json:
        _write_json(turns)
    elif svg is None:
        Console().print(_shown(turns, profile, everything))
    else:
        # A picture is shown to others, whom the folders of this machine do not concern.
        content = _shown(turns, profile, everything, folders=False)
        _draw(content, svg, f"q2 explain {visible(turn)}")


def _write_json(turns: Sequence[ExplainedTurn]) -> None:
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    escaped = encoding != "utf8" or sys.stdout.isatty()
    for one in turns:
        source = {"source": one.turn["source"], "line": one.turn["line"]}
        values = one.explanation.to_json() | source | {"metadata": dict(one.metadata)}
        sys.stdout.write(json.dumps(values, ensure_ascii=escaped) + "\n")


def _shown(
    turns: Sequence[ExplainedTurn], profile: str, everything: bool, *, folders: bool = True
) -> Group:
    """Return the turns, each below its id and the line of the log that holds it."""
    from qsquared.cli.explanation import shown

    parts: list[RenderableType] = []
    for number, one in enumerate(turns):
        if number:
            parts.append(Rule())
        turn = one.turn
        source = turn["source"] if folders else Path(turn["source"]).name
        head = f"{visible(turn['id'])}  ({visible(source)}:{turn['line']})"
        parts += [Text(head, "bold"), shown(one.explanation, profile, everything)]
    return Group(*parts)


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
