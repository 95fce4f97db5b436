"""Writer of a report as a file: Markdown, JSON, or an HTML page."""

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from qsquared.errors import UsageError
from qsquared.evaluation.reporting.report import HEAD, Curve, Report, cells, differences, markdown
from qsquared.storage.files.atomic import written_whole

_WIDTH, _HEIGHT, _MARGIN = 420, 300, 40
_COLOURS = ("#1b5e9c", "#b3471b", "#2b7a3d", "#7a3d8f", "#806000", "#555555")


def html_page(report: Report) -> str:
    """Return the page; it has no script, and every text of data or names is escaped."""
    source = (
        files("qsquared.evaluation.reporting").joinpath("page.html.j2").read_text(encoding="utf-8")
    )
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    template = environment.from_string(source)
    return template.render(
        report=report,
        head=HEAD,
        cells=cells,
        differences=differences,
        path=_path,
        colours=_COLOURS,
        width=_WIDTH,
        height=_HEIGHT,
        margin=_MARGIN,
    )


def _path(curve: Curve) -> str:
    """Return the points of a curve as those of an SVG polyline."""
    across, down = _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN
    return " ".join(
        f"{_MARGIN + x * across:.1f},{_HEIGHT - _MARGIN - y * down:.1f}" for x, y in curve.points
    )


def _json(report: Report) -> str:
    return json.dumps(report.to_json(), indent=1, ensure_ascii=False) + "\n"


FORMS: dict[str, Callable[[Report], str]] = {
    ".md": markdown,
    ".json": _json,
    ".html": html_page,
}


def check_form(path: Path) -> None:
    """Refuse a file of another form.

    Raises:
        UsageError: its extension names none.
    """
    if path.suffix not in FORMS:
        raise UsageError(f"--out {path} has no known extension.", f"Use one of: {', '.join(FORMS)}")


def write_report(report: Report, path: Path) -> None:
    """Write a report whole or not at all, in the form that its extension names.

    Raises:
        UsageError: the file cannot be written.
    """
    with written_whole(path) as temporary:
        temporary.write_text(FORMS[path.suffix](report), encoding="utf-8")
