"""``python -m tests.report.pictures STORE``: the pictures of the report in docs/images."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from qsquared.report.page import write_report
from qsquared.report.scope import ReportOptions
from qsquared.storage.store import Store
from tests.conftest import BROWSERS

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def main(store: Path) -> None:
    """Write a report of the store and photograph it at two widths."""
    program = next(filter(None, map(shutil.which, BROWSERS)))
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "report.html"
        write_report(Store.open(store), page_file, ReportOptions())
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        wide = browser.new_page(viewport={"width": 1000, "height": 880})
        wide.goto(page_file.as_uri())
        wide.screenshot(path=IMAGES / "report.png")
        wide.get_by_label("Search").fill("1116-024")
        wide.locator("#shown", has_text="1 of").wait_for()
        wide.locator(".case:visible summary").click()
        wide.locator("#list").screenshot(path=IMAGES / "report-case.png")
        phone = browser.new_page(
            viewport={"width": 390, "height": 844}, color_scheme="dark", device_scale_factor=1
        )
        phone.goto(page_file.as_uri())
        phone.screenshot(path=IMAGES / "report-phone.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
