"""Propose a mapping for a log that gives no turn, or none with knowledge, as it is read.

Each proposal was tried on the log's first rows.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product

from qsquared.storage.logs.engines.recognising import FLAT
from qsquared.storage.logs.reading import Reading
from qsquared.storage.logs.rows import UnreadableRow
from qsquared.storage.logs.surveys.survey import Survey

_KNOWLEDGE = re.compile(
    r"context|document|passage|source|knowledge|evidence|snippet|citation|reference|chunk|retriev|"
    r"search|article|facts?\b|\bkb|docs?\b|grounding|result|content|page|"
    r"quelle|kontext|wissen|abschnitt|dokument|fuente|fragment|contexto|contexte|extrait",
    re.IGNORECASE,
)
_RESPONSE = re.compile(
    r"answer|response|reply|output|completion|predict|\bbot|assistant|generat|said|utter|agent|message|text|says|"
    r"antwort|ausgabe|respuesta|salida|réponse|reponse|risposta",
    re.IGNORECASE,
)
_OF_KIND = r"(?:type|role|status|name|kind|model|date|time|\bid|_id)$"
_NOT_RESPONSE = re.compile(r"question|query|input|prompt|user|human|reference|expected|ground|gold|frage|pregunta|domanda", re.IGNORECASE)  # fmt: skip
_NOT_KNOWLEDGE = re.compile(
    r"question|query|frage|pregunta|domanda|antwort|respuesta|salida|answer|response|reply|user|\bid\b|_id\b|reference_|reference$|expected|ground_truth|gold|feedback|comment|^(?:inputs?|prompt|message)$|"
    rf"{_OF_KIND}",
    re.IGNORECASE,
)
_MOST_TRIALS = 40
_MOST_CANDIDATES = 6
_LEAST_CHARACTERS = 20


def propose(found: Survey) -> dict[str, str]:
    """Return the shortest mapping that reads turns with knowledge out of a log, empty if none does."""
    kept = {
        theirs: ours for theirs, ours in found.reading.mapping.items() if theirs not in found.silent
    }
    for more in islice(_candidates(found, kept), _MOST_TRIALS):
        mapping = {**kept, **more}
        adapters = [found.reading.adapter] if "response" not in more.values() else [FLAT]
        for adapter in adapters:
            if _knowing(replace(found.reading, adapter=adapter, mapping=mapping), found):
                return mapping
    return {}


def reads_without_silent(found: Survey) -> bool:
    """Whether the log is read well once the mapped fields that hold nothing are left out."""
    kept = {
        theirs: ours for theirs, ours in found.reading.mapping.items() if theirs not in found.silent
    }
    return bool(found.silent) and _knowing(replace(found.reading, mapping=kept), found) > 0


def close_names(found: Survey) -> dict[str, str]:
    """Return the silent fields' mapping with the names that are nearly theirs, empty if one has none."""
    paths = [path for path in _outer_paths(found) if path not in found.reading.mapping]
    close = {name: difflib.get_close_matches(name, paths, n=1) for name in found.silent}
    if not all(close.values()):
        return {}
    return {names[0]: found.reading.mapping[name] for name, names in close.items()}


def siblings(found: Survey, path: str) -> list[str]:
    """Return the fields whose names differ from one in a number only, such as ``context_2``."""
    pattern = re.compile(re.sub(r"\\?\d+", r"\\d+", re.escape(path)))
    numbered = re.search(r"\d", path) is not None
    return [one for one in found.examples if numbered and one != path and pattern.fullmatch(one)]


def _knowing(reading: Reading, found: Survey) -> int:
    """Return how many turns with knowledge a reading gives of the sample."""
    knowing = 0
    for row in reading.read(iter(found.sample)):
        turn = None if isinstance(row, UnreadableRow) else reading.turn_of(row, "", found.path.name)
        if isinstance(turn, dict) and turn["knowledge"] and turn["status"] is None:
            # The conversation itself is no knowledge.
            said = {turn["response"], *turn["history"]}
            knowing += not said.intersection(turn["knowledge"])
    return knowing


def _candidates(found: Survey, kept: dict[str, str]) -> Iterator[dict[str, str]]:
    """Yield mappings to try, the most likely first."""
    taken = set(kept.values())
    for silent in found.silent:
        ours = found.reading.mapping[silent]
        paths = [path for path in _outer_paths(found) if path not in kept]
        for close in difflib.get_close_matches(silent, paths, n=3, cutoff=0.6):
            yield {close: ours}
    knowledge = [] if "knowledge" in taken else _knowledge_paths(found)
    yield from ({path: "knowledge"} for path in knowledge)
    replies = [] if "response" in taken else _response_paths(found)
    for response, known in product(replies, knowledge):
        if response != known:
            yield {response: "response", known: "knowledge"}
    yield from ({path: "response"} for path in replies)


def _outer_paths(found: Survey) -> list[str]:
    """Return the paths of fields, and of the lists and objects that they are in."""
    paths: dict[str, None] = {}
    for path in found.examples:
        parts = re.split(r"\.|(?=\[\])", path)
        outer = ""
        for part in parts:
            outer = outer + part if not outer or part == "[]" else f"{outer}.{part}"
            paths.setdefault(outer.removesuffix("[]"))
    return list(paths)


def _knowledge_paths(found: Survey) -> list[str]:
    """Return the fields that may hold passages: lists first, long texts after them."""
    ranked: dict[str, float] = {}
    for path, example in found.examples.items():
        named_so = bool(_KNOWLEDGE.search(path))
        if (len(example) < _LEAST_CHARACTERS and not named_so) or path in found.reading.mapping:
            continue
        named = bool(_KNOWLEDGE.search(path)) - 2.0 * bool(_NOT_KNOWLEDGE.search(path))
        rank = 2 * named + ("[]" in path) + 2 * (path in found.unused)
        outer = path[: path.rindex("[]")] if "[]" in path else path
        for one in dict.fromkeys((outer, path)):
            ranked[one] = max(ranked.get(one, -9.0), rank - 0.1 * (one != outer))
    best = sorted(ranked, key=lambda path: -ranked[path])
    return [path for path in best if ranked[path] > 0][:_MOST_CANDIDATES]


def _response_paths(found: Survey) -> list[str]:
    ranked: dict[str, float] = {}
    for path, example in found.examples.items():
        if "[]" in path or re.search(_OF_KIND, path, re.IGNORECASE):
            continue
        if not (re.search(r"\s", example) or _RESPONSE.search(path)):
            continue
        rank = 2.0 * bool(_RESPONSE.search(path)) - 3 * bool(_NOT_RESPONSE.search(path))
        ranked[path] = rank - 2 * bool(_KNOWLEDGE.search(path)) - 0.1 * path.count(".")
    best = sorted(ranked, key=lambda path: -ranked[path])
    return [path for path in best if ranked[path] > 0][:_MOST_CANDIDATES]
