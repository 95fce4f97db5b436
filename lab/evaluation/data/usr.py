"""Readers of USR's annotations of Topical-Chat and PersonaChat (Mehri and Eskenazi 2020).

`read_indicators` reads the same replies with the indicator values of the GLUE paper's own models.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from qsquared.errors import InputError
from qsquared.evaluation.data.files import (
    Dataset,
    Fields,
    Item,
    look_for,
    make_dataset,
    read_jsonl,
)
from qsquared.method.glue import INDICATORS, PAIRED

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
"""Criterion → its name in UniEval's copy of the data."""

CRITERIA = tuple(_FLAT)

_RATED_FILES = {
    "topical-chat": ("eval_usr_topical_chat.json",),
    "persona-chat": ("eval_usr_percona_chat.json", "eval_usr_persona_chat.json"),
}
_RATED = {"sst2": "sst"} | {f"context_{task}": task for task in PAIRED}
"""The GLUE paper's names of indicators, where they are not ours."""

_Turn = tuple[str, str, str, str, dict[str, float]]
"""Context, fact, system, reply and the mean of each criterion."""

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
        turns = list(_turns(path))
        papers = _papers_values(data, corpus, [reply.strip() for _, _, _, reply, _ in turns])
        for context in CONTEXTS:
            items += _items(turns, papers, corpus, context)
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
            criteria = _means(reply)
            unit, cluster = f"{corpus}/{len(items)}", f"{corpus}/{number}"
            facts = {"corpus": corpus, "criteria": criteria, "indicators": indicators}
            items.append(
                Item(unit, cluster, fact, reply.text("response"), criteria["Overall"], facts)
            )
    return make_dataset(
        "usr-published", items, dict.fromkeys(paths.values(), "usr-published"), *missing
    )


def _rated_replies(path: Path) -> Iterator[tuple[int, str, Fields, dict[str, float]]]:
    """Read the context's number, the fact, the reply, and its indicators under our names."""
    for number, row in enumerate(read_jsonl(path)):
        for reply in row["responses"]:
            indicators = {name: float(reply[_RATED.get(name, name)]) for name in INDICATORS}
            yield number, row.text("fact"), reply, indicators


def _papers_values(data: Path, corpus: str, replies: list[str]) -> list[dict[str, Any]]:
    """Return the paper's indicators of these replies as facts; none unless its file has just these."""
    path = look_for(data, *_RATED_FILES[corpus])
    rated = [] if path is None else list(_rated_replies(path))
    if [reply.text("response").strip() for _, _, reply, _ in rated] != replies:
        return [{}] * len(replies)
    return [{"papers": indicators} for _, _, _, indicators in rated]


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


def _items(
    turns: Sequence[_Turn], papers: Sequence[dict[str, Any]], corpus: str, read_as: str
) -> Iterator[Item]:
    """Make an item of each reply; replies to one context share a cluster."""
    contexts: dict[str, int] = {}
    for number, ((context, fact, system, reply, criteria), values) in enumerate(
        zip(turns, papers, strict=True)
    ):
        before = context.strip()
        if read_as == "last turn":
            before = before.rpartition("\n")[2].strip()
        facts = {"corpus": corpus, "system": system, "criteria": criteria, "context": read_as}
        yield Item(
            f"{corpus}/{number}/{read_as}",
            f"{corpus}/{contexts.setdefault(context, len(contexts))}",
            fact.strip() or "_nofact",
            reply.strip(),
            criteria["Overall"],
            facts | values,
            before or None,
        )


def _turns(path: Path) -> Iterator[_Turn]:
    """Read the turns of either format."""
    for row in read_jsonl(path):
        if "responses" not in row:
            names = ("source", "context", "system_id", "system_output")
            context, fact, system, reply = map(row.text, names)
            yield context, fact, system, reply, _means(row["scores"], _FLAT.values())
        for one in row.get("responses", ()):
            context, fact = row.text("context"), row.text("fact")
            yield context, fact, one.text("model"), one.text("response"), _means(one)


def _means(given: Fields, names: Iterable[str] = CRITERIA) -> dict[str, float]:
    """Return each criterion as one number, the mean of the annotators where there are several."""
    values = {criterion: given[name] for criterion, name in zip(CRITERIA, names, strict=True)}
    return {
        criterion: fmean(value) if isinstance(value, list) else float(value)
        for criterion, value in values.items()
    }
