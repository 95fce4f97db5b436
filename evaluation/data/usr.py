"""Reader of USR's annotations of Topical-Chat and PersonaChat (Mehri and Eskenazi 2020)."""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

from qsquared.errors import InputError
from qsquared.evaluation.data.files import field_of, look_for, make_dataset, read_jsonl
from qsquared.evaluation.data.items import Dataset, Item

CRITERIA = (
    "Understandable",
    "Natural",
    "Maintains Context",
    "Engaging",
    "Uses Knowledge",
    "Overall",
)

_FILES = {
    "topical-chat": ("topical_chat.json", "tc_usr_data.json", "usr_topical_chat.json"),
    "persona-chat": ("pc_usr_data.json", "usr_percona_chat.json", "persona_chat.json"),
}
_FLAT = {
    "Understandable": "understandability",
    "Natural": "naturalness",
    "Maintains Context": "coherence",
    "Engaging": "engagingness",
    "Uses Knowledge": "groundedness",
    "Overall": "overall",
}
"""The criteria under the names of UniEval's copy of the data."""


def read_usr(data: Path) -> Dataset:
    """Read the turns of both corpora, or of the one that is there.

    An item's previous turn is the whole dialogue before the reply, as the paper's context is, its
    knowledge the fact; the data's own words for "no fact" stay.
    The label is the mean of Overall, the facts have the mean of each criterion.

    Raises:
        InputError: neither corpus is there, or a file is not in a published format.
    """
    items: list[Item] = []
    paths: dict[Path, str] = {}
    missing: list[str] = []
    for corpus, names in _FILES.items():
        path = _find(data, corpus, names)
        if path is None:
            missing.append(f"{corpus} is not in the data ({' or '.join(names)}).")
        else:
            paths[path] = corpus
            items += _items(path, corpus)
    if not items:
        raise InputError(
            f"There is no turn of USR's annotations in {data}.",
            "Get them from http://shikib.com/usr, or UniEval's copy of Topical-Chat.",
        )
    return make_dataset("usr", items, paths, *missing)


def _find(data: Path, corpus: str, names: tuple[str, ...]) -> Path | None:
    """Return the file of a corpus; a file is Topical-Chat's, unless its name says PersonaChat."""
    if data.is_file():
        other = "persona" in data.name or data.name.startswith("pc_")
        return data if other == (corpus == "persona-chat") else None
    return look_for(data, *names)


def _items(path: Path, corpus: str) -> Iterator[Item]:
    """Make an item of each reply; replies to one context share a cluster."""
    contexts: dict[str, int] = {}
    for number, (context, fact, system, reply, criteria) in enumerate(_turns(path)):
        cluster = f"{corpus}/{contexts.setdefault(context, len(contexts))}"
        yield Item(
            f"{corpus}/{number}",
            cluster,
            fact.strip() or "_nofact",
            reply.strip(),
            criteria["Overall"],
            {"corpus": corpus, "system": system, "criteria": criteria},
            context.strip() or None,
        )


def _turns(path: Path) -> Iterator[tuple[str, str, str, str, dict[str, float]]]:
    """Read context, fact, system, reply and the mean of each criterion, from either format."""
    for row in read_jsonl(path):
        if "responses" not in row:
            yield (
                str(field_of(row, "source", path)),
                str(field_of(row, "context", path)),
                str(field_of(row, "system_id", path)),
                str(field_of(row, "system_output", path)),
                _means(field_of(row, "scores", path), _FLAT, path),
            )
            continue
        context, fact = str(field_of(row, "context", path)), str(field_of(row, "fact", path))
        for reply in row["responses"]:
            own = {name: name for name in CRITERIA}
            yield (
                context,
                fact,
                str(field_of(reply, "model", path)),
                str(field_of(reply, "response", path)),
                _means(reply, own, path),
            )


def _means(given: dict[str, Any], names: dict[str, str], path: Path) -> dict[str, float]:
    """Return each criterion as one number, the mean of the annotators where there are several."""
    found = {}
    for criterion, name in names.items():
        value = field_of(given, name, path)
        found[criterion] = fmean(value) if isinstance(value, list) else float(value)
    return found
