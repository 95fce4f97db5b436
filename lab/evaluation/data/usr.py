"""Readers of USR's annotations of Topical-Chat and PersonaChat (Mehri and Eskenazi 2020).

`read_indicators` reads the same replies with the indicator values of the GLUE paper's own models.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from qsquared.errors import InputError
from qsquared.evaluation.data.files import (
    Dataset,
    Item,
    field_of,
    look_for,
    make_dataset,
    read_jsonl,
)
from qsquared.method.glue.indicators import INDICATORS, PAIRED

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


_RATED_FILES = {
    "topical-chat": ("eval_usr_topical_chat.json",),
    "persona-chat": ("eval_usr_percona_chat.json", "eval_usr_persona_chat.json"),
}
_RATED = {"sst2": "sst"} | {f"context_{task}": task for task in PAIRED}
"""The GLUE paper's names of indicators, where they are not ours."""

CONTEXTS = ("whole dialogue", "last turn")
"""The texts that stand for a reply's context: the paper's "dialogue context", and a log's."""


def read_usr(data: Path) -> Dataset:
    """Read the turns of both corpora, or of the one that is there, each once for each context.

    The facts of an item have the values of the paper's own models (``papers``), if their file is there.
    An item's previous turn is the whole dialogue before the reply or its last turn, its knowledge
    the fact; the data's own words for "no fact" stay.
    The label is the mean of Overall, the facts have the mean of each criterion.

    Raises:
        InputError: neither corpus is there, or a file is not in a published format.
    """
    paths, missing = _corpora(data, _FILES)
    if not paths:
        raise InputError(
            f"There is no turn of USR's annotations in {data}.",
            "Get them from http://shikib.com/usr, or UniEval's copy of Topical-Chat.",
        )
    items: list[Item] = []
    for corpus, path in paths.items():
        for context in CONTEXTS:
            found = list(_items(path, corpus, context))
            papers = _papers_values(data, corpus, [item.response for item in found])
            items += (
                found
                if papers is None
                else [
                    replace(item, facts=item.facts | {"papers": values})
                    for item, values in zip(found, papers, strict=True)
                ]
            )
    return make_dataset("usr", items, {path: name for name, path in paths.items()}, *missing)


def read_indicators(data: Path) -> Dataset:
    """Read the turns with the values that the GLUE paper's own models gave them.

    The facts have each indicator under our name; no fact and no context is needed.

    Raises:
        InputError: neither file is there, or one is not in the published format.
    """
    paths, missing = _corpora(data, _RATED_FILES)
    if not paths:
        raise InputError(
            f"The file eval_usr_topical_chat.json of usr-published is not in {data}.",
            "Get it from https://github.com/SmartDataAnalytics/proxy_indicators, folder data; "
            "eval_usr_percona_chat.json has PersonaChat.",
        )
    items: list[Item] = []
    for corpus, path in paths.items():
        for number, fact, reply, indicators in _rated_replies(path):
            criteria = _means(reply, {name: name for name in CRITERIA}, path)
            facts = {"corpus": corpus, "criteria": criteria, "indicators": indicators}
            items.append(
                Item(
                    f"{corpus}/{len(items)}",
                    f"{corpus}/{number}",
                    fact,
                    str(field_of(reply, "response", path)),
                    criteria["Overall"],
                    facts,
                )
            )
    return make_dataset(
        "usr-published", items, dict.fromkeys(paths.values(), "usr-published"), *missing
    )


def _rated_replies(
    path: Path,
) -> Iterator[tuple[int, str, dict[str, Any], dict[str, float]]]:
    """Read the context's number, the fact, the reply, and its indicators under our names."""
    for number, row in enumerate(read_jsonl(path)):
        fact = str(field_of(row, "fact", path))
        for reply in field_of(row, "responses", path):
            indicators = {
                name: float(field_of(reply, _RATED.get(name, name), path)) for name in INDICATORS
            }
            yield number, fact, reply, indicators


def _papers_values(data: Path, corpus: str, replies: list[str]) -> list[dict[str, float]] | None:
    """Return the paper's indicators of these replies; ``None`` unless its file has just these."""
    path = look_for(data, *_RATED_FILES[corpus]) if data.is_dir() else None
    if path is None:
        return None
    rated = list(_rated_replies(path))
    if [str(reply["response"]).strip() for _, _, reply, _ in rated] != replies:
        return None
    return [indicators for _, _, _, indicators in rated]


def _corpora(data: Path, files: Mapping[str, tuple[str, ...]]) -> tuple[dict[str, Path], list[str]]:
    """Find the file of each corpus; also return a sentence for each that is missing."""
    found = {corpus: _find(data, corpus, names) for corpus, names in files.items()}
    missing = [
        f"{corpus} is not in the data ({' or '.join(files[corpus])})."
        for corpus, path in found.items()
        if path is None
    ]
    return {corpus: path for corpus, path in found.items() if path is not None}, missing


def _find(data: Path, corpus: str, names: tuple[str, ...]) -> Path | None:
    """Return the file of a corpus; a file is Topical-Chat's, unless its name says PersonaChat."""
    if data.is_file():
        other = any(name in data.name for name in ("persona", "percona")) or (
            data.name.startswith("pc_")
        )
        return data if other == (corpus == "persona-chat") else None
    return look_for(data, *names)


def _items(path: Path, corpus: str, read_as: str) -> Iterator[Item]:
    """Make an item of each reply; replies to one context share a cluster."""
    contexts: dict[str, int] = {}
    for number, (context, fact, system, reply, criteria) in enumerate(_turns(path)):
        cluster = f"{corpus}/{contexts.setdefault(context, len(contexts))}"
        before = context.strip()
        if read_as == "last turn":
            before = before.rpartition("\n")[2].strip()
        yield Item(
            f"{corpus}/{number}/{read_as}",
            cluster,
            fact.strip() or "_nofact",
            reply.strip(),
            criteria["Overall"],
            {"corpus": corpus, "system": system, "criteria": criteria, "context": read_as},
            before or None,
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
