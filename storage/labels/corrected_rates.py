"""The share of inconsistent turns, corrected by judgements, overall and by group."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from qsquared.errors import UsageError
from qsquared.method.rates.design import strata
from qsquared.method.rates.estimate import Population, Share, estimate, unlabelled
from qsquared.method.rates.estimate import independent_turns as turns_worth
from qsquared.method.threshold import THRESHOLD, is_inconsistent
from qsquared.storage.labels.judged_replies import (
    Score,
    TurnFilter,
    conversations,
    draws_for_rates,
    group_name,
    independent_turns,
    judged_replies,
    selected,
)
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store, store_option

LEAST_LABELS = 30
LEAST_IN_GROUP = 20
_MOST_OUTSIDE = 0.05


@dataclass(frozen=True, slots=True)
class Labelled:
    """Replies with their judgements, as a population, and the turns of each group.

    ``independent`` has for each group, and for all under None, how many independent turns the scored
    ones are worth by their scores, and ``conversations`` has the turns of each conversation.
    ``unscored`` turns have no score and are not counted, ``outside`` turns came after the draws;
    ``unjudged`` drawn replies have no judgement.
    """

    population: Population
    pairs: tuple[str, ...]
    groups: dict[str, npt.NDArray[np.float64]]
    independent: dict[str | None, float]
    conversations: pl.DataFrame
    unscored: int
    outside: int
    unjudged: int


@dataclass(frozen=True, slots=True)
class Rate:
    """The inconsistent share of some turns, by the scores alone, by the labels alone, and corrected.

    ``corrected`` and ``alone`` are about these turns, of which some are judged.
    ``bot`` is the corrected share of what the bot would say, of which these turns are a sample.
    """

    group: str
    turns: int
    raw: float
    alone: Share
    corrected: Share
    bot: Share

    def to_json(self) -> dict[str, Any]:
        """Return the rate as plain JSON; what is infinite becomes None."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return None if isinstance(value, float) and not np.isfinite(value) else value


def labelled(store: Store, score: Score, selection: TurnFilter) -> Labelled:
    """Return the selected replies with their judgements and chances.

    Draws by any scores count: a reply's chance is known whatever it was drawn by.

    Args:
        store: the store.
        score: the score that corrects.
        selection: the turns.

    Raises:
        UsageError: the judgements do not allow an estimate.
    """
    read = f"FROM turns, {score.table} {selection.where}"
    with connect(store, read, inputs=selection.inputs) as connection:
        replies = selected(connection, score, selection)
        worth, by_conversation = independent_turns(connection), conversations(connection)
    draws = draws_for_rates(store)
    if draws.is_empty():
        raise UsageError("No reply of the store was drawn to be judged.", _draw(store))
    judgements = judged_replies(store)
    if not judgements["drawn"].any():
        number = draws.filter("drawn")["pair_id"].n_unique()
        raise UsageError(
            f"0 of {number:,} drawn replies are judged; a rate takes {LEAST_LABELS}.", _read(store)
        )
    unscored = int(replies.filter(pl.col("score").is_null())["turns"].sum())
    scored = replies.filter(pl.col("score").is_not_null())
    frame = scored.group_by("pair_id").agg(pl.first("score"), pl.sum("turns")).sort("pair_id")
    frame = frame.join(judgements, "pair_id", "left", maintain_order="left")
    inside = frame.filter(pl.col("chance") > 0)
    every = int(frame["turns"].sum())
    outside = every - int(inside["turns"].sum())
    if outside > _MOST_OUTSIDE * every:
        raise UsageError(
            f"{outside:,} of the {every:,} selected turns could not be drawn: they came "
            "after the draw, or it was of other turns.",
            f"Select the turns of the draw (--from, --to, --where). {_draw(store)}",
        )
    judged = inside["judged"].fill_null(np.nan).to_numpy()
    labels = int((~np.isnan(judged)).sum())
    if labels < LEAST_LABELS:
        raise UsageError(
            f"{labels:,} of {int(inside['drawn'].sum()):,} drawn replies of these turns are judged; a "
            f"rate takes {LEAST_LABELS}.",
            _read(store),
        )
    unjudged = inside.filter(pl.col("drawn") & pl.col("judged").is_null())
    _refuse_unjudged(store, unjudged, every - outside, labels)
    turns = inside["turns"].to_numpy().astype(float)
    predictions = 1 - inside["score"].to_numpy()
    cells = strata(predictions, turns, labels)
    population = Population(turns, predictions, cells, inside["chance"].to_numpy(), judged)
    _refuse_unlabelled(store, population)
    names = {group_name(name): part for (name,), part in scored.group_by("group")}
    every_pair = inside.select("pair_id")
    groups = {}
    for name, part in sorted(names.items()):
        turns_of = every_pair.join(part, "pair_id", "left", maintain_order="left")["turns"]
        groups[name] = turns_of.fill_null(0).to_numpy() * 1.0
    return Labelled(
        population,
        tuple(inside["pair_id"].to_list()),
        groups,
        worth,
        by_conversation,
        unscored,
        outside,
        len(unjudged),
    )


def _draw(store: Store) -> str:
    """Return the remedy for too few drawn replies."""
    return f"Draw more: {_command(store)}"


def _read(store: Store) -> str:
    """Return the remedy for too few judged replies."""
    return (
        f"Read the filled forms: q2 label read FORM.csv {store_option(store)}. "
        f"What nobody judged is drawn again: {_command(store)}"
    )


def _command(store: Store) -> str:
    """Return the command that draws replies without a judgement."""
    return f"q2 label draw --n 100 --out form.html {store_option(store)}"


def _refuse_unjudged(store: Store, unjudged: pl.DataFrame, every: int, labels: int) -> None:
    """Refuse an estimate where drawn replies without a judgement gave too many turns.

    The judged ones stand for the others of their stratum, each for about as many turns as all turns
    divided by the labels. A reply of more turns was drawn to speak for itself.

    Raises:
        UsageError: such replies have no judgement, and together too many turns.
    """
    frequent = unjudged.filter(pl.col("turns") > every / labels)
    share = int(frequent["turns"].sum()) / every
    if share > _MOST_OUTSIDE:
        raise UsageError(
            f"Of the drawn replies, {len(frequent):,} without a judgement gave {share:.0%} of the turns, "
            "and no others can stand for so many.",
            f"Judge them. If the form is lost, they are drawn again: {_command(store)}",
        )


def _refuse_unlabelled(store: Store, population: Population) -> None:
    """Refuse judgements that leave out a part of the scores.

    Raises:
        UsageError: too many turns are in strata without a judgement.
    """
    missed = unlabelled(population)
    if missed > _MOST_OUTSIDE:
        raise UsageError(
            f"{missed:.0%} of the selected turns are in strata of the score of which replies were drawn "
            "and none is judged: the unjudged are no random part.",
            f"Judge the rest of the form. If it is lost, draw again: {_command(store)}",
        )


def rate_of(labels: Labelled, group: str | None = None) -> Rate | None:
    """Return the rate of all selected turns or of a group; ``None`` where it has too few labels."""
    population, name = labels.population, "all"
    if group is not None:
        population, name = population.part(labels.groups[group]), group
        if not len(population.turns) or population.labels < LEAST_IN_GROUP:
            return None
    corrected, alone = estimate(population), estimate(population.without_scores())
    wrong = is_inconsistent(1 - population.predictions, THRESHOLD)
    turns = int(population.turns.sum())
    raw = float(population.turns[wrong].sum() / turns)
    bot = corrected.of_bot(_independent(labels, population, group, corrected.value))
    return Rate(name, turns, raw, alone, corrected, bot)


def _independent(
    labels: Labelled, population: Population, group: str | None, share: float
) -> float:
    """Return the number of independent turns that some are worth: by scores or by judgements, the fewer."""
    judged = pl.DataFrame({"pair_id": labels.pairs, "judged": labels.population.judged})
    talks = labels.conversations.filter(True if group is None else pl.col("group") == group)
    talks = talks.group_by("conversation", "pair_id").agg(pl.sum("turns")).join(judged, "pair_id")
    _, places = np.unique(talks["conversation"].to_numpy(), return_inverse=True)
    by_judgements = turns_worth(
        population.turns, places, talks["turns"].to_numpy(), talks["judged"].to_numpy(), share
    )
    return min(labels.independent[group], by_judgements)
