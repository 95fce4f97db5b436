"""Steps of training a classifier of replies; each runs once and leaves a receipt.

A receipt is a small JSON file with the key of the step's inputs and the SHA-256 of its outputs, written
last: a step that was killed has none, and runs (or resumes) again.
"""

import json
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from lab.training.begin.corpus import Exchange, from_readings
from lab.training.begin.makers import Silver
from lab.training.begin.silver import make_silver, tally
from lab.training.encoders.fit import Settings, encode_begin, fit
from lab.training.examples.statements import PARSER, frames
from lab.training.examples.wordnet import adjective_antonyms, fetch_wordnet
from lab.training.sources.reading import Reading, is_development, read_qamr, read_squad
from qsquared.hashing import sha256_of_file
from qsquared.language.spacy_parser import SpacyParser
from qsquared.method.begin.taxonomy import LABELS

VERSION = 1
"""Raised whenever the steps would give other examples or another model for the same request."""
QAMR_QUESTIONS = 4_000
"""Drawn by seed: the sentences of QAMR are many, and each takes time to parse."""

Receipt = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SilverRequest:
    """The sources of the silver examples; paths are texts, so that a key is JSON."""

    data: str
    out: str
    each: int = 4000
    seed: int = 20210430

    @property
    def files(self) -> tuple[Path, Path]:
        """The files of the training and of the development examples."""
        return Path(self.out) / "silver-train.jsonl", Path(self.out) / "silver-development.jsonl"


def once(
    receipt: Path, key: Mapping[str, Any], outputs: Iterable[Path], run: Callable[[], Receipt]
) -> Receipt:
    """Run a step unless its outputs exist and are unchanged; return its receipt."""
    written = list(outputs)
    try:
        known: Receipt = json.loads(receipt.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    wanted = json.loads(json.dumps(key))
    if known.get("key") == wanted and known.get("files") == _hashes(written):
        return known
    found = run()
    made = {"key": wanted, "files": _hashes(written), **found}
    temporary = receipt.with_suffix(".tmp")
    temporary.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    temporary.replace(receipt)
    return made


def _hashes(paths: Iterable[Path]) -> dict[str, str]:
    return {path.name: sha256_of_file(path) if path.exists() else "" for path in paths}


def silver_step(request: SilverRequest) -> Receipt:
    """Make the silver examples, unless they exist; both sides of the split apart."""
    out = Path(request.out)
    out.mkdir(parents=True, exist_ok=True)
    key = asdict(request) | {"version": VERSION}
    return once(out / "silver.json", key, request.files, lambda: _make(request))


def _make(request: SilverRequest) -> Receipt:
    exchanges = _exchanges(request)
    parser = SpacyParser(PARSER)
    replies = parser.parse([e.plain or e.response for e in exchanges])
    adjectives = {t.text.lower() for parsed in replies for t in parsed.tokens if t.tag == "JJ"}
    antonyms = adjective_antonyms(fetch_wordnet(Path(request.out)), adjectives)
    found: Receipt = {"exchanges": len(exchanges), "antonyms": len(antonyms)}
    for path, held in zip(request.files, (False, True), strict=True):
        side = [e for e in exchanges if is_development(e.group) == held]
        silver = make_silver(
            side,
            parser,
            antonyms,
            request.each // 10 if held else request.each,
            request.seed,
        )
        write_silver(path, silver)
        found |= {path.stem: tally(silver)}
    return found


def _exchanges(request: SilverRequest) -> list[Exchange]:
    data = Path(request.data)
    squad: list[Reading] = [r for r in read_squad(data / "squad-dev") if r.answers]
    qamr = list(read_qamr(data / "qamr"))
    drawn = random.Random(request.seed).sample(qamr, min(len(qamr), QAMR_QUESTIONS))
    readings = [*squad, *drawn]
    turned = frames([r.question for r in readings], [r.text for r in readings])
    return from_readings(readings, turned.get, request.seed)


def write_silver(path: Path, examples: Iterable[Silver]) -> None:
    """Write one example a line."""
    lines = (json.dumps(asdict(example)) + "\n" for example in examples)
    path.write_text("".join(lines), encoding="utf-8")


def read_silver(path: Path) -> list[Silver]:
    """Read the examples of a file that `write_silver` wrote."""
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [Silver(**row | {"replaced": tuple(map(tuple, row["replaced"]))}) for row in rows]


def balanced(examples: Iterable[Silver], number: int) -> list[Silver]:
    """Return the first examples of each class, ``number`` in all, in their order."""
    left = dict.fromkeys(LABELS, number // len(LABELS))
    kept = []
    for silver in examples:
        if left[silver.label]:
            left[silver.label] -= 1
            kept.append(silver)
    return kept


def fit_step(
    request: SilverRequest, base: Path, name: str, settings: Settings, number: int
) -> Receipt:
    """Train on ``number`` silver examples from ``base``, unless that is done; a killed one resumes."""
    train, held = request.files
    out = Path(request.out) / name
    final = out / "final" / "model.safetensors"
    key = asdict(settings) | _hashes([train, held]) | {"version": VERSION, "examples": number}
    key |= {"base": _hashes([base / "model.safetensors"])["model.safetensors"]}

    def run() -> Receipt:
        tokenizer = AutoTokenizer.from_pretrained(base)
        development = {"silver": encode_begin(tokenizer, read_silver(held))}
        examples = balanced(read_silver(train), number)
        rows = encode_begin(tokenizer, examples)
        figures = fit("begin", base, rows, development, out, settings)
        return {"examples": len(examples), "labels": list(LABELS), "figures": figures}

    return once(Path(request.out) / f"{name}.json", key, [final], run)
