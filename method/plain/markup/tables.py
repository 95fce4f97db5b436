"""Rows of Markdown tables."""

import re

from qsquared.method.plain.markup.mapped import Edit, Mapped

_TABLE_RULE = frozenset("|:- \t\r\n")


def is_table_rule(content: str) -> bool:
    """Whether a line stands between the head of a table and its rows."""
    return "|" in content and "-" in content and _TABLE_RULE.issuperset(content)


def cells(line: Mapped) -> Mapped:
    """Return a table row as text: "name: value" of two cells, else the cells with commas."""
    text = line.text
    if "|" not in text:
        return line
    first, last = len(text) - len(text.lstrip(" |\t")), len(text.rstrip(" |\t"))
    bars = [match.start() for match in re.finditer(r"\|", text)]
    inner = [bar for bar in bars if first < bar < last]
    between = ":" if len(inner) == 1 else ","
    edits: list[Edit] = []
    for bar in bars:
        left, right = bar, bar + 1
        while left > (edits[-1][1] if edits else 0) and text[left - 1] in " \t":
            left -= 1
        spaced = text[right : right + 1] in (" ", "\t")
        new = between if spaced else f"{between} "
        edits.append((left, right, new if first < bar < last else ""))
    return line.edited(edits).stripped()
