"""Silver examples of BEGIN's five classes, balanced, from exchanges (Dziri et al. 2021, section 4).

The same exchanges, antonyms and seed give the same examples.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from lab.training.begin.corpus import Exchange
from lab.training.begin.makers import MAKERS, Material, Silver
from lab.training.begin.perturbations import pools
from qsquared.method.begin.taxonomy import LABELS
from qsquared.protocols import ParseText

_FEWEST = 200
"""Exchanges to look at, at least; at most four times the examples of a class."""


def make_silver(
    exchanges: Sequence[Exchange],
    parser: ParseText,
    antonyms: Mapping[str, str],
    each: int,
    seed: int,
) -> list[Silver]:
    """Make at most ``each`` examples of each of the five classes, equally many of all.

    An exchange gives two classes at most, of the classes that lack most.

    Args:
        exchanges: the corpus, of one side of the split.
        parser: parses evidence and replies.
        antonyms: adjective → antonym.
        each: examples of a class.
        seed: of all draws.
    """
    rng = random.Random(seed)
    order = list(exchanges)
    rng.shuffle(order)
    order = order[: max(_FEWEST, 4 * each)]
    texts = dict.fromkeys(t for e in order for t in (e.evidence, e.plain or e.response))
    parses = dict(zip(texts, parser.parse(list(texts)), strict=True))
    verbs, entities = pools(parses[e.evidence] for e in order)
    by_topic: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in order:
        by_topic[exchange.topic].append(exchange)
    material = Material(parses.__getitem__, verbs, entities, antonyms, by_topic)
    made: dict[str, list[Silver]] = {label: [] for label in LABELS}
    for exchange in order:
        lacking = sorted(LABELS, key=lambda label: (len(made[label]), rng.random()))
        taken = 0
        for label in lacking:
            if taken == 2 or len(made[label]) >= each:
                continue
            silver = MAKERS[label](exchange, material, rng)
            if silver is not None:
                made[label].append(silver)
                taken += 1
    fewest = min(len(found) for found in made.values())
    examples = [silver for found in made.values() for silver in found[:fewest]]
    rng.shuffle(examples)
    return examples


def tally(examples: Sequence[Silver]) -> dict[str, dict[str, int]]:
    """Count the examples by label and transformation."""
    counts = Counter((silver.label, silver.transformation) for silver in examples)
    return {
        label: {how: n for (of, how), n in sorted(counts.items()) if of == label}
        for label in LABELS
    }
