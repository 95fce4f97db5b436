"""Writer of a report as a file: Markdown, JSON, or an HTML page."""

import json
from collections.abc import Callable
from pathlib import Path

from qsquared.evaluation.reporting.page import html_page
from qsquared.evaluation.reporting.report import Report, markdown
from qsquared.storage.files.atomic import written_whole


def _json(report: Report) -> str:
    return json.dumps(report.to_json(), indent=1, ensure_ascii=False) + "\n"


FORMS: dict[str, Callable[[Report], str]] = {
    "markdown": markdown,
    "json": _json,
    "html": html_page,
}


def write_report(report: Report, form: str, path: Path) -> None:
    """Write a report whole or not at all; ``form`` is one of `FORMS`.

    Raises:
        UsageError: the file cannot be written.
    """
    with written_whole(path) as temporary:
        temporary.write_text(FORMS[form](report), encoding="utf-8")
