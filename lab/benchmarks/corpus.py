"""Logs of any length, with the texts of the example log and the repetition of a real one; the pairs of logs."""

import json
import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from qsquared.storage.files.parquet import read_table
from qsquared.storage.logs.paths import expand_inputs
from qsquared.storage.records.inputs.ingest import ingest_file
from qsquared.storage.records.shards import plan_shards
from qsquared.storage.store import Store
from qsquared.storage.tables import PAIRS
from qsquared.tasks.stage import Rows

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "logs"
REPEATED = 0.3
"""Share of turns whose reply and knowledge were logged before; those given often come more often."""

_VARIED = re.compile(r"\d+|(?<=[a-z,;] )[A-Z][a-z]+")
"""Numbers, and capitalised words within a sentence."""
_SYLLABLES = ("ba", "den", "fo", "gar", "hil", "jo", "kem", "lor", "mi", "nas", "por", "rut", "sel")


def write_log(
    path: Path, turns: int, first: int = 0, seed: int = 0, repeated: float = REPEATED
) -> int:
    """Write so many turns as JSON Lines; return the number of distinct pairs among them.

    Args:
        path: the log.
        turns: rows.
        first: number of the first pair, so that two logs share none.
        seed: of the draws of turns that repeat an earlier one.
        repeated: share of turns that do.
    """
    draw = random.Random(seed)
    given: list[int] = []
    pairs = first
    with path.open("w", encoding="utf-8") as file:
        for turn in range(turns):
            if given and draw.random() < repeated:
                # A reply is repeated in proportion to how often it was given.
                number = given[draw.randrange(len(given))]
            else:
                number, pairs = pairs, pairs + 1
            given.append(number)
            response, knowledge = make_pair(number)
            row = {
                "id": f"{first}-{turn}",
                "conversation_id": f"{first}-{turn // 4}",
                "response": response,
                "knowledge": knowledge,
            }
            file.write(json.dumps(row) + "\n")
    return pairs - first


def make_pair(number: int) -> tuple[str, list[str]]:
    """Make a pair of the examples with names and numbers of its own, alike in reply and knowledge."""
    pairs = examples()
    response, knowledge = pairs[number % len(pairs)]
    series = number // len(pairs)
    if series == 0:
        return response, list(knowledge)

    def vary(match: re.Match[str]) -> str:
        draw = random.Random(f"{series} {match.group()}")
        if match.group().isdigit():
            return str(draw.randrange(1, 10)) + "".join(
                str(draw.randrange(10)) for _ in match.group()[1:]
            )
        return "".join(draw.choices(_SYLLABLES, k=max(1, len(match.group()) // 3))).capitalize()

    varied = _VARIED.sub(vary, response)
    passages = [_VARIED.sub(vary, passage) for passage in knowledge]
    if varied == response:
        varied = f"{response.rstrip()[:-1]} in {1000 + series}."
    return varied, passages


@cache
def examples() -> list[tuple[str, tuple[str, ...]]]:
    """Read the distinct pairs of the example log."""
    pairs = (pair for shard in read_shards([str(EXAMPLES)]) for pair in shard)
    return [(pair["response"], tuple(pair["knowledge"])) for pair in pairs]


def read_shards(logs: Sequence[str], shard_size: int = 256) -> list[Rows]:
    """Read the distinct pairs of some logs, in the shards that a run over them would make."""
    with TemporaryDirectory(prefix="q2-bench-") as folder:
        store = Store.open(Path(folder) / "store", create=True)
        inputs = [ingest_file(store, path).fingerprint for path in expand_inputs(logs)]
        return [
            read_table(store.table_path("pairs", shard.key), PAIRS, shard.key).to_pylist()
            for shard in plan_shards(store, inputs, shard_size)
        ]
