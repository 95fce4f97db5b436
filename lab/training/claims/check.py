"""``python -m lab.training.claims.check [FILE]``: whether each passage, claim and question has the right form."""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lab.training.claims.passages import PASSAGES

KINDS = {
    "entailment": {
        "close", "paraphrase", "summary", "inference", "partial", "hedged", "negation", "conditions",
        "near", "whole",
    },
    "contradiction": {
        "number", "entity", "negation", "condition", "relation", "scope", "time", "mixed", "far",
    },
    "neutral": {"extra", "reason", "detail", "generalise", "advice"},
}  # fmt: skip
CELLS = {"first", "second", "near", "far"}


def complaints(row: dict[str, Any]) -> Iterator[str]:
    """Say what is wrong with one passage."""
    if not row["knowledge"] or not all(text.strip() for text in row["knowledge"]):
        yield "has no knowledge, or an empty one"
    texts = Counter(claim["text"] for claim in row["claims"])
    yield from (f"has a claim twice: {text}" for text, times in texts.items() if times > 1)
    for claim in row["claims"]:
        if claim["kind"] not in KINDS.get(claim["label"], ()):
            yield f"has a claim of an unknown kind, {claim['label']}.{claim['kind']}"
        if claim["cell"] not in CELLS:
            yield f"has a claim of an unknown cell, {claim['cell']}"
    for asked in row["qa"]:
        answer = asked["answer"]
        if answer is not None and not any(answer in text for text in row["knowledge"]):
            yield f"has an answer that is no part of it: {answer}"


def main() -> int:
    """Print what does not fit; return 1 if anything does not."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PASSAGES
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    found = [f"{row['id']} {what}" for row in rows for what in complaints(row)]
    ids = Counter(row["id"] for row in rows)
    found += [f"{name} is the id of {times} passages" for name, times in ids.items() if times > 1]
    claims = Counter(claim["label"] for row in rows for claim in row["claims"])
    questions = Counter(asked["answer"] is None for row in rows for asked in row["qa"])
    print(*found, sep="\n")
    print(
        f"{len(rows)} passages, {sum(claims.values())} claims ({dict(claims)}), "
        f"{questions[False]} questions with an answer and {questions[True]} without"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
