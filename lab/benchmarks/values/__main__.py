"""Measure the comparison by value: ``python -m lab.benchmarks.values [FOLDER]``.

FOLDER may hold `answers/evouna.jsonl.gz` and `nli/fever-dev.jsonl.gz`; without it only the made pairs
are measured.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from lab.benchmarks.values.drawn import evouna_pairs, fever_pairs
from lab.benchmarks.values.made import made_pairs
from lab.benchmarks.values.pairs.pair import DIFFERS, HOLDS, UNSURE, AnswerPair
from qsquared.method.values.decide import decide

_BEST_FIRST = (HOLDS, UNSURE, DIFFERS)


def verdict_of(pair: AnswerPair) -> str:
    """Return the verdict that the comparison gives: certain, or unsure."""
    decision = decide(pair.claim, pair.known, pair.question)
    if decision is None or not decision.decides:
        return HOLDS if pair.claim == pair.known else UNSURE
    return {1.0: HOLDS, 0.0: DIFFERS}.get(decision.share, UNSURE)


def wrong_pairs(pairs: Iterable[AnswerPair]) -> list[tuple[str, AnswerPair]]:
    """Return the pairs with another verdict than the right one, and that verdict."""
    found = [(verdict_of(pair), pair) for pair in pairs]
    return [(verdict, pair) for verdict, pair in found if verdict != pair.verdict]


def _made() -> None:
    pairs = made_pairs()
    wrong = wrong_pairs(pairs)
    certain = [pair for verdict, pair in wrong if pair.units_differ and verdict != UNSURE]
    right = 1 - len(wrong) / len(pairs)
    print(
        f"made: {len(pairs)} pairs, {right:.1%} right; {sum(p.units_differ for p in pairs)} with "
        f"other units, {len(certain)} of them wrong with certainty"
    )
    for verdict, pair in wrong:
        print(f"  {verdict}, not {pair.verdict}: {pair.claim!r} against {pair.known!r}")


def _drawn(name: str, groups: Iterable[Sequence[AnswerPair]]) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    begin = time.process_time()
    number = 0
    for group in groups:
        if not group:
            continue
        verdicts = {verdict_of(pair) for pair in group}
        number += len(group)
        # Any right answer will do.
        counts[next(one for one in _BEST_FIRST if one in verdicts), group[0].verdict] += 1
    seconds = time.process_time() - begin
    certain = {key: n for key, n in counts.items() if key[0] != UNSURE}
    right = sum(n for (given, right), n in certain.items() if given == right)
    total = max(1, sum(certain.values()))
    print(
        f"{name}: {sum(counts.values()):,} answers, {total:,} decided, {right / total:.1%} of these as "
        f"people did; {1e6 * seconds / max(1, number):.0f} µs a pair"
    )


def main(folder: str | None = None) -> None:
    """Print the shares of right verdicts."""
    _made()
    if folder is not None:
        root = Path(folder)
        _drawn("evouna", evouna_pairs(root / "answers" / "evouna.jsonl.gz"))
        _drawn("fever", ([pair] for pair in fever_pairs(root / "nli" / "fever-dev.jsonl.gz")))


if __name__ == "__main__":
    main(*sys.argv[1:2])
