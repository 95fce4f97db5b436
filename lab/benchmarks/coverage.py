"""``python -m lab.benchmarks.coverage --data DATA``: measure the coverage of the intervals about the bot.

``--page docs/results/rates-simulation.md`` writes the table into that page.

A bot is made of a set of judged replies: its truth is the share that people call unfaithful.
It gives logs of some turns, in conversations and with replies that it repeats; of each log people judge
some replies, as `q2 label draw` draws them.
The score is the overlap of a reply's words with its knowledge, so that no model is needed.
"""

import argparse
import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lab.benchmarks.tables import Rows, markdown_table, write_between
from qsquared.evaluation.data.begin import read_begin
from qsquared.evaluation.data.files import Dataset, Item
from qsquared.evaluation.data.loaders import read_cross_annotation, read_q2_wow
from qsquared.method.begin.taxonomy import GENERIC
from qsquared.method.q2.token_f1 import token_f1
from qsquared.method.rates.conversations import independent_turns
from qsquared.method.rates.design import allocate, chances_of, draw, strata, usual_risk
from qsquared.method.rates.estimate import Population, estimate
from qsquared.method.statistics.intervals import clustered_number, wilson_interval

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

LONGEST, ALIKE, CANNED = 8, 0.2, 0.4
"""Turns of the longest conversation, the correlation in one, and the share of replies from a small stock."""

_HEAD = (
    "replies", "truth", "the bot", "turns", "worth", "all judged", "labels: the bot", "labels: these turns",
    "scores",
)  # fmt: skip


def judged_items(data: Path) -> list[tuple[str, list[Item]]]:
    """Read the judged replies in a folder: the name and the items of each set."""
    datasets = (
        read_q2_wow(data / "q2-wow"),
        read_cross_annotation(data / "q2-wow"),
        _read_judged_dev(data / "more" / "replies" / "wow-judged-dev.jsonl.gz"),
        read_begin(data / "begin"),
    )
    # People judge generic replies of BEGIN as chit-chat, which no rate is about.
    return [
        (one.name, [item for item in one.items if item.facts.get("label") != GENERIC])
        for one in datasets
    ]


def _read_judged_dev(path: Path) -> Dataset:
    """Read replies on Wizard-of-Wikipedia knowledge with a label, as entailment or not."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    items = tuple(
        Item(str(place), str(place), row["premise"], row["hypothesis"], label)
        for place, row in enumerate(rows)
        for label in (float(row["label"] == "entailment"),)
    )
    return Dataset("wow-judged-dev", items, {})


def independent(replies: Indices, conversations: Indices, low: Array) -> float:
    """Return how many independent turns some are worth, as `qsquared.storage.sql.views.rates` counts."""
    number, share = len(replies), float(low.mean())
    sizes = np.bincount(replies)
    observations = number**2 / float((sizes**2).sum())
    groups = len(np.unique(conversations))
    if groups in {1, number}:
        return observations
    excess = low - share
    together = np.bincount(conversations, weights=excess)
    pairs = np.unique(conversations * (replies.max() + 1) + replies, return_inverse=True)[1]
    alone = np.bincount(pairs, weights=excess)
    covary = float((together**2).sum() - (alone**2).sum())
    return clustered_number(share, number, observations, covary, groups)


def by_judgements(
    replies: Indices, conversations: Indices, judged: Array, times: Array, share: float
) -> float:
    """Return the same by the judgements of some replies, as `q2 rate` counts."""
    pairs, turns = np.unique(conversations * len(times) + replies, return_counts=True)
    _, places = np.unique(pairs // len(times), return_inverse=True)
    return independent_turns(times, places, turns.astype(float), judged[pairs % len(times)], share)


def log_of(
    unfaithful: Array, turns: int, rng: np.random.Generator, *, talks: bool, repeats: bool
) -> tuple[Indices, Indices, Indices]:
    """Return a log of a bot: place in the set, distinct reply and conversation of each turn."""
    share = float(unfaithful.mean())
    lengths = rng.integers(1, LONGEST + 1, turns) if talks else np.ones(turns, dtype=np.intp)
    conversations = np.repeat(np.arange(turns), lengths)[:turns]
    beta = share * (1 / ALIKE - 1), (1 - share) * (1 / ALIKE - 1)
    risk = rng.beta(*beta, turns) if talks else np.full(turns, share)
    wrong = rng.random(turns) < risk[conversations]
    of_kind = [np.flatnonzero(unfaithful == kind) for kind in (0, 1)]
    places = np.where(wrong, rng.choice(of_kind[1], turns), rng.choice(of_kind[0], turns)).astype(
        np.intp
    )
    replies = np.arange(turns)
    if repeats:
        stock = max(4, turns // 4)
        canned = rng.random(turns) < CANNED
        taken = rng.integers(0, stock, turns)
        places[canned] = rng.integers(0, len(unfaithful), stock)[taken[canned]]
        replies[canned] = turns + taken[canned]
    return places, np.unique(replies, return_inverse=True)[1], conversations


def simulate(
    unfaithful: Array, scores: Array, turns: int, labels: int, logs: int, **kind: bool
) -> list[float]:
    """Return what the turns are worth, and the coverage of the four intervals over so many logs."""
    rng = np.random.default_rng(2026)
    truth, called = float(unfaithful.mean()), scores <= np.median(scores)
    found = []
    for _ in range(logs):
        places, replies, conversations = log_of(unfaithful, turns, rng, **kind)
        _, first = np.unique(replies, return_index=True)
        times = np.bincount(replies).astype(float)
        low = called[places].astype(float)
        worth = independent(replies, conversations, low)
        predictions, judged = 1 - scores[places][first], unfaithful[places][first]
        cells = strata(predictions, times, labels)
        given = allocate(cells, times, usual_risk(predictions, times), labels)
        chances = chances_of(cells, times, given)
        drawn = draw(cells, chances, rng)
        known = np.full(len(first), np.nan)
        known[drawn] = judged[drawn]
        some = estimate(Population(times, predictions, cells, chances, known))
        every = Population(times, predictions, cells, np.ones(len(first)), judged)
        whole = estimate(every)
        known_worth, all_worth = (
            min(worth, by_judgements(replies, conversations, verdicts, times, one.value))
            for one, verdicts in ((some, known), (whole, judged))
        )
        intervals = (
            (whole.of_bot(all_worth), truth),
            (some.of_bot(known_worth), truth),
            (some, float(judged @ times / times.sum())),
        )
        ends = [(one.low, one.high, of) for one, of in intervals]
        ends.append((*wilson_interval(float(low.mean()), worth), float(called.mean())))
        found.append([all_worth, *(lowest <= of <= highest for lowest, highest, of in ends)])
    means: list[float] = np.array(found, dtype=float).mean(axis=0).tolist()
    return means


def rows_of(data: Path, turns: int, labels: int, logs: int) -> Rows:
    """Return the table: four bots of each set."""
    rows: list[tuple[str, ...]] = [_HEAD]
    for name, items in judged_items(data):
        unfaithful = np.array([float(item.label != 1.0) for item in items])
        scores = np.array([token_f1(item.knowledge, item.response) for item in items])
        for talks in (False, True):
            for repeats in (False, True):
                kind = " and ".join(["conversations"] * talks + ["repeated replies"] * repeats)
                worth, *covered = simulate(
                    unfaithful, scores, turns, labels, logs, talks=talks, repeats=repeats
                )
                rows.append(
                    (
                        name,
                        f"{unfaithful.mean():.1%}",
                        kind or "single turns",
                        str(turns),
                        f"{worth:.0f}",
                        *(f"{one:.1%}" for one in covered),
                    )
                )
                print(*rows[-1], sep=" | ", flush=True)
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table, and write it between the marker comments of a page."""
    parser = argparse.ArgumentParser(prog="python -m lab.benchmarks.coverage", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--turns", type=int, default=400)
    parser.add_argument("--labels", type=int, default=100)
    parser.add_argument("--logs", type=int, default=1000)
    parser.add_argument("--page", type=Path)
    asked = parser.parse_args(argv)
    rows = rows_of(asked.data, asked.turns, asked.labels, asked.logs)
    if asked.page is not None:
        write_between(asked.page, "bot", markdown_table(rows, "--:"))


if __name__ == "__main__":
    main()
