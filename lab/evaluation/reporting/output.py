"""Writer of a report as a file: Markdown, JSON, or an HTML page."""

import json
from collections.abc import Callable
from pathlib import Path

from qsquared.errors import UsageError
from qsquared.evaluation.reporting.page import html_page
from qsquared.evaluation.reporting.report import Report, markdown
from qsquared.storage.files.atomic import written_whole


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
