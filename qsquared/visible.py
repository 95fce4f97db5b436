"""Make logged text harmless to terminals and pages."""

from __future__ import annotations

import unicodedata

_KEPT = {"\n", "\t"}
_BIDI = {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"}


def visible(text: str) -> str:
    """Replace control and direction characters by a placeholder of the same length.

    Offsets into the text stay right.
    """
    return "".join(
        "\ufffd" if (unicodedata.category(c) == "Cc" and c not in _KEPT) or c in _BIDI else c
        for c in text
    )
