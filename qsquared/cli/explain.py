"""The command ``q2 explain``."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from qsquared.cli.explanation import shown
from qsquared.cli.text import visible
from qsquared.errors import UsageError
from qsquared.storage.outputs.explanations import ExplainedTurn, explain_turns, nearest_ids
from qsquared.storage.sql.catalogue import connect
from qsquared.storage.store import Store

_PICTURE_WIDTH = 120
_FONTS = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)


def run_explain(
    folder: Path,
    turn: str,
    profile: str,
    everything: bool,
    as_json: bool = False,
    picture: Path | None = None,
) -> None:
    """Explain every turn with that id.

    Args:
        folder: the store.
        turn: the id.
        profile: the models whose scores are explained.
        everything: show the questions that do not count, too.
        as_json: write one JSON object for each turn instead.
        picture: write what a terminal would show to this SVG file instead.

    Raises:
        UsageError: no turn has the id, or the picture cannot be written.
        StoreError: there is no store.
    """
    with connect(Store.open(folder)) as connection:
        found = explain_turns(connection, turn, profile)
        if not found:
            near = ", ".join(map(visible, nearest_ids(connection, turn)))
            raise UsageError(
                f"No turn in the store has the id {turn!r}.",
                f"The nearest are: {near}"
                if near
                else "The store has no turns; score a log first.",
            )
    if as_json:
        for one in found:
            sys.stdout.write(json.dumps(_plain(one), ensure_ascii=not _is_utf8()) + "\n")
        return
    if picture is None:
        Console().print(_all(found, profile, everything))
    else:
        # A picture is shown to others, whom the folders of this machine do not concern.
        whole = _all(found, profile, everything, folders=False)
        _draw(whole, picture, f"q2 explain {visible(turn)}")


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace(
        "-", ""
    ) == "utf8" and not sys.stdout.isatty()


def _plain(one: ExplainedTurn) -> dict[str, Any]:
    place = {"source": one.turn["source"], "line": one.turn["line"]}
    return one.explanation.to_json() | place | {"metadata": dict(one.metadata)}


def _all(
    found: list[ExplainedTurn], profile: str, everything: bool, *, folders: bool = True
) -> Group:
    parts: list[RenderableType] = []
    for number, one in enumerate(found):
        if number:
            parts.append(Rule())
        turn = one.turn
        source = turn["source"] if folders else Path(turn["source"]).name
        head = f"{visible(turn['id'])}  ({visible(source)}:{turn['line']})"
        parts += [Text(head, "bold"), shown(one.explanation, profile, everything)]
    return Group(*parts)


def _draw(content: Group, path: Path, title: str) -> None:
    """Write an SVG that names no font on the net, so that opening it asks nobody for anything."""
    console = Console(
        record=True, width=_PICTURE_WIDTH, file=io.StringIO(), force_terminal=True, no_color=False,
        color_system="truecolor", legacy_windows=False,
    )  # fmt: skip
    console.print(content)
    drawn = console.export_svg(
        title=title, code_format=_FONTS.sub("", CONSOLE_SVG_FORMAT), unique_id="q2-explain"
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"The picture {path} cannot be written: {error}") from error
