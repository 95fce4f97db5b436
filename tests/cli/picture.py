"""``python -m tests.cli.picture STORE``: the README's picture of `q2 explain`, in docs/images."""

import re
import sys
from io import StringIO
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from qsquared.cli.commands.explain_and_export import _shown
from qsquared.storage.outputs.explanations import explain_turns
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "explain.svg"
_FONTS = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)


def draw(store: Path, turn: str = "1118-019") -> str:
    """Return an SVG that names no folder of this machine, and no font on the net."""
    with connect(Store.open(store)) as connection:
        parts = explain_turns(connection, turn, "compact")
    for part in parts:
        part.turn["source"] = Path(part.turn["source"]).name
    console = Console(
        record=True, width=120, file=StringIO(), force_terminal=True, no_color=False,
        color_system="truecolor", legacy_windows=False,
    )  # fmt: skip
    console.print(_shown(parts, "compact", everything=False))
    form = _FONTS.sub("", CONSOLE_SVG_FORMAT)
    return console.export_svg(title=f"q2 explain {turn}", code_format=form, unique_id="q2-explain")


if __name__ == "__main__":
    PICTURE.write_text(draw(Path(sys.argv[1])), encoding="utf-8")
