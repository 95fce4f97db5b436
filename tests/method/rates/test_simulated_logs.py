"""Simulated logs of a bot: what their turns are worth, and whether intervals hold the bot's truth."""

import duckdb
import numpy as np
import pytest

from qsquared.method.intervals import clustered_number, wilson_interval
from qsquared.method.rates.design import allocate, chances_of, draw, strata, usual_risk
from qsquared.method.rates.estimate import Population, estimate, independent_turns
from qsquared.storage.sql.rates import rates

# Turns of the longest conversation, the correlation in one, the share of replies from a small stock.
LONGEST, ALIKE, CANNED = 8, 0.2, 0.4


def independent(replies, conversations, low):
    """Return how many independent turns some are worth, as the SQL of all rates counts."""
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


def by_judgements(replies, conversations, judged, times, share):
    """Return the same by the judgements of some replies, as `q2 rate` counts."""
    pairs, turns = np.unique(conversations * len(times) + replies, return_counts=True)
    _, places = np.unique(pairs // len(times), return_inverse=True)
    return independent_turns(times, places, turns.astype(float), judged[pairs % len(times)], share)


def log_of(unfaithful, turns, rng, *, talks, repeats):
    """Return a log of a bot: place in the judged set, distinct reply and conversation of each turn."""
    share = float(unfaithful.mean())
    lengths = rng.integers(1, LONGEST + 1, turns) if talks else np.ones(turns, dtype=np.intp)
    conversations = np.repeat(np.arange(turns), lengths)[:turns]
    beta = share * (1 / ALIKE - 1), (1 - share) * (1 / ALIKE - 1)
    risk = rng.beta(*beta, turns) if talks else np.full(turns, share)
    wrong = rng.random(turns) < risk[conversations]
    of_kind = [np.flatnonzero(unfaithful == kind) for kind in (0, 1)]
    places = np.where(wrong, rng.choice(of_kind[1], turns), rng.choice(of_kind[0], turns))
    replies = np.arange(turns)
    if repeats:
        stock = max(4, turns // 4)
        canned = rng.random(turns) < CANNED
        taken = rng.integers(0, stock, turns)
        places[canned] = rng.integers(0, len(unfaithful), stock)[taken[canned]]
        replies[canned] = turns + taken[canned]
    return places, np.unique(replies, return_inverse=True)[1], conversations


def intervals(unfaithful, scores, labels, rng, **kind):
    """Return low end, high end and truth of the four intervals of one log of 400 turns."""
    called = scores <= np.median(scores)
    places, replies, conversations = log_of(unfaithful, 400, rng, **kind)
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
    whole = estimate(Population(times, predictions, cells, np.ones(len(first)), judged))
    some_worth, whole_worth = (
        min(worth, by_judgements(replies, conversations, verdicts, times, one.value))
        for one, verdicts in ((some, known), (whole, judged))
    )
    truth = float(unfaithful.mean())
    ends = [
        (one.low, one.high, of)
        for one, of in (
            (whole.of_bot(whole_worth), truth),
            (some.of_bot(some_worth), truth),
            (some, float(judged @ times / times.sum())),
        )
    ]
    return [*ends, (*wilson_interval(float(low.mean()), worth), float(called.mean()))]


@pytest.mark.parametrize("talks", [False, True])
@pytest.mark.parametrize("repeats", [False, True])
def test_the_simulation_counts_independent_turns_as_the_views_do(talks, repeats):
    """The effective number of a simulated log is that of the SQL of all rates."""
    rng = np.random.default_rng(1)
    unfaithful = (np.arange(80) % 3 == 0).astype(float)
    places, replies, conversations = log_of(unfaithful, 120, rng, talks=talks, repeats=repeats)
    low = unfaithful[places]
    values = ", ".join(
        f"('{reply}', '{conversation}', {1 - wrong})"
        for reply, conversation, wrong in zip(replies, conversations, low, strict=True)
    )
    turns = (
        "(SELECT pair_id, conversation_id, q2::DOUBLE AS q2, q2 AS score, 0 AS contradicted, "
        f"'' AS status FROM (VALUES {values}) turns(pair_id, conversation_id, q2))"
    )
    sql = f"SELECT observations FROM ({rates(turns, (), worth=True)})"
    (expected,) = duckdb.connect().execute(sql).fetchone()
    found = independent(replies, conversations, low)
    assert found == pytest.approx(expected) or (not talks and found >= expected)


@pytest.mark.slow
@pytest.mark.parametrize("talks", [False, True])
@pytest.mark.parametrize("repeats", [False, True])
def test_the_intervals_hold_the_truth(talks, repeats):
    """About 95 of 100 intervals hold their truth: of the bot, of these turns, and of the scores."""
    rng = np.random.default_rng(2026)
    unfaithful = (rng.random(600) < 0.4).astype(float)
    # An AUC of about .8, in steps, as scores that are shares of words have.
    scores = np.round(rng.normal(0.6 - 0.25 * unfaithful, 0.2).clip(0, 1) * 20) / 20
    held = [
        [
            low <= truth <= high
            for low, high, truth in intervals(
                unfaithful, scores, 100, rng, talks=talks, repeats=repeats
            )
        ]
        for _ in range(300)
    ]
    assert np.mean(held, axis=0) == pytest.approx([0.95] * 4, abs=0.04)
