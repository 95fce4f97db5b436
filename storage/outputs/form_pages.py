"""Pages that a person fills in a browser: one file with its data, which loads nothing."""

import json
from importlib.resources import files
from typing import Any


def form_page(package: str, name: str, form: dict[str, Any]) -> str:
    """Return a page of a package with a form as JSON, in which no text can end its element.

    Args:
        package: the package that has the page.
        name: the file of the page, with the places `{{ form }}` and `{{ common }}`.
        form: what the page shows.
    """
    text = json.dumps(form, ensure_ascii=False).replace("<", "\\u003c")
    page = files(package).joinpath(name).read_text(encoding="utf-8")
    common = files("qsquared.storage.outputs").joinpath("form_common.js")
    # The form comes last: its texts may have the other place in them.
    page = page.replace("{{ common }}", common.read_text(encoding="utf-8"))
    return page.replace("{{ form }}", text)
