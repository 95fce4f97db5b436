"""Report as one HTML page with its curves as SVG, which fetches nothing."""

from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from qsquared.evaluation.reporting.report import HEAD, Curve, Report, cells, differences

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
