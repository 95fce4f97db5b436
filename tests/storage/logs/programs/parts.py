"""Parts of logs that several programs share: documents, calls and times."""

from __future__ import annotations

from typing import Any

from tests.storage.logs.desk import IDS, TITLES, Exchange

Row = dict[str, Any]
TIME = 1_763_000_000


def tool_call(number: int) -> Row:
    """Return a call of the search tool."""
    function = {"name": "search", "arguments": '{"query": "x"}'}
    return {"id": f"call_{number}", "type": "function", "function": function}


def looked_up(one: Exchange) -> bool:
    """Whether the reply was preceded by a retrieval."""
    return one.passages is not None or one.failed


def docs(one: Exchange, body: str = "text") -> list[Row]:
    """Return the passages of a reply as documents."""
    return [{"id": IDS[t], "title": TITLES[t], "score": 0.8, body: t} for t in one.passages or ()]


def lang_docs(one: Exchange, body: str = "page_content") -> list[Row]:
    """Return the passages of a reply as LangChain writes documents."""
    return [{body: t, "metadata": {"source": f"{IDS[t]}.md", "title": TITLES[t]}, "type": "Document"} for t in one.passages or ()]  # fmt: skip
