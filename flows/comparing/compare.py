"""Profiles compared on the same replies, in one store."""

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from qsquared import __version__
from qsquared.errors import InputError, UsageError
from qsquared.flows.comparing.scores import ProfileScores, scores_by_profile
from qsquared.method.bootstrap import Array
from qsquared.method.intervals import wilson_interval
from qsquared.method.quality import Quality, quality
from qsquared.method.rates.judgements import resolved
from qsquared.method.threshold import is_inconsistent
from qsquared.storage.files.places import place
from qsquared.storage.labels.form_files import rows_of_form
from qsquared.storage.records.comparisons import write_comparison
from qsquared.storage.store import Store
from qsquared.tasks.jobs.options import ScoreOptions

_SUPPORTED = frozenset({"consistent", "supported", "entailed", "true", "yes", "1", "1.0"})
_UNSUPPORTED = frozenset({"inconsistent", "unsupported", "false", "no", "0", "0.0"})


def labels_of(source: str, replies: pl.DataFrame) -> Array:
    """Return 1 for each supported reply, 0 for an unsupported one, NaN for one without a label or at a tie.

    Args:
        source: a CSV with the columns `turn` (the reply's id) and `verdict`, or the name of a field of
            the log; empty for no labels.
        replies: with the columns `id` and `metadata`.

    Raises:
        InputError: the file cannot be read, or a label is no word for supported or unsupported.
        UsageError: there is neither such a file nor such a field, or no reply has a label.
    """
    if not source:
        return np.full(len(replies), np.nan)
    if Path(source).is_file():
        given = _of_file(Path(source))
        found = [given.get(name) for name in replies["id"]]
    else:
        found = [_of_field(source, row) for row in replies["metadata"]]
    if all(label is None for label in found):
        raise UsageError(
            f"--labels {source} labels none of the {len(replies):,} replies.",
            "Give a CSV with the columns turn (a reply's id) and verdict, or the name of a field of the log.",
        )
    return np.array([np.nan if label is None else label for label in found])


def _of_file(path: Path) -> dict[str, float | None]:
    verdicts: dict[str, list[str]] = defaultdict(list)
    for row in rows_of_form(path):
        if row.verdict:
            name = row.cells.get("turn", "")
            said = _is_supported(row.verdict, f"{path}, line {row.line}")
            verdicts[name].append("consistent" if said else "inconsistent")
    against = {name: resolved(given) for name, given in verdicts.items()}
    return {name: None if value == 0.5 else 1 - value for name, value in against.items()}


def _of_field(name: str, metadata: str | None) -> float | None:
    value = json.loads(metadata or "{}").get(name)
    if value is None or value == "":
        return None
    return float(_is_supported(str(value).strip().lower(), f"the field {name} of the log"))


def _is_supported(word: str, place: str) -> bool:
    if word in _SUPPORTED:
        return True
    if word in _UNSUPPORTED:
        return False
    raise InputError(
        f"The label {word!r} in {place} says neither that a reply is supported nor that it is not.",
        "Write supported or unsupported, consistent or inconsistent, 1 or 0.",
    )


_APART = 0.05
"""Scores that are nearer than this say the same."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One profile of a comparison: its share of inconsistent replies, time, and quality beside labels."""

    profile: str
    scored: int
    inconsistent: int
    rate: float | None
    rate_low: float | None
    rate_high: float | None
    seconds_per_reply: float
    requests: dict[str, Any] | None
    quality: Quality | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """The number of replies that two profiles score, and of those of which they say the same."""

    first: str
    second: str
    replies: int
    same: int


@dataclass(frozen=True, slots=True)
class Case:
    """A reply with the score of each profile; ``supported`` is its label, if it has one."""

    id: str
    response: str
    scores: tuple[float | None, ...]
    supported: bool | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of profiles; ``cases`` are the replies on which they differ most."""

    replies: int
    labelled: int
    profiles: tuple[Compared, ...]
    agreements: tuple[Agreement, ...]
    cases: tuple[Case, ...]


def compare_profiles(
    options: ScoreOptions,
    profiles: Sequence[str],
    labels: str = "",
    cases: int = 5,
    watched: Callable[[str], AbstractContextManager[object]] = nullcontext,
) -> Comparison:
    """Score the same replies by several profiles, and record their figures in the store.

    Args:
        options: the logs, the store and how far to read; the profile of them is not used.
        profiles: two or more names.
        labels: a file or a field of the log, see `labels_of`; empty for none.
        cases: so many replies on which the profiles differ most.
        watched: watches the scoring by a profile.

    Raises:
        UsageError: there is no such profile, or there are no such labels.
        ModelError: a model is not there or cannot be loaded.
        InputError: no log or label can be read.
    """
    scored = []
    for name in profiles:
        with watched(name):
            scored.append(scores_by_profile(replace(options, profile=name)))
    found = compare(scored, labels_of(labels, scored[0].replies), cases)
    record = asdict(found) | {"at": datetime.now(UTC).isoformat(timespec="seconds")}
    # The texts of replies stay where an erasure finds them.
    del record["cases"]
    record |= {"version": __version__, "logs": list(options.logs), "limit": options.limit}
    write_comparison(Store.open(place(options.store)), record)
    return found


def compare(scored: Sequence[ProfileScores], labels: Array, cases: int) -> Comparison:
    """Return the comparison of the scores of the same replies by several profiles."""
    every = [one.values("score") for one in scored]
    return Comparison(
        len(labels),
        int((~np.isnan(labels)).sum()),
        tuple(_compared(one, values, labels) for one, values in zip(scored, every, strict=True)),
        tuple(
            _agreement(scored[i].profile, scored[j].profile, every[i], every[j])
            for i, j in combinations(range(len(scored)), 2)
        ),
        _cases(scored[0], np.array(every), labels, cases),
    )


def _compared(one: ProfileScores, values: Array, labels: Array) -> Compared:
    known = values[~np.isnan(values)]
    low = int(is_inconsistent(known).sum())
    rate = low / len(known) if len(known) else None
    distinct = one.replies.filter(~np.isnan(values))["pair_id"].n_unique()
    low_end, high_end = (None, None) if rate is None else wilson_interval(rate, distinct)
    beside = None if np.isnan(labels).all() else quality(labels, values, one.clusters)
    return Compared(
        one.profile,
        len(known),
        low,
        rate,
        low_end,
        high_end,
        one.seconds_per_reply,
        one.requests,
        beside,
    )


def _agreement(first: str, second: str, one: Array, other: Array) -> Agreement:
    both = ~(np.isnan(one) | np.isnan(other))
    same = is_inconsistent(one[both]) == is_inconsistent(other[both])
    return Agreement(first, second, int(both.sum()), int(same.sum()))


def _cases(scored: ProfileScores, every: Array, labels: Array, number: int) -> tuple[Case, ...]:
    """Return the distinct replies whose scores are farthest apart."""
    whole = ~np.isnan(every).any(axis=0)
    apart = np.where(whole, np.ptp(np.nan_to_num(every), axis=0), -1.0)
    found: dict[str, Case] = {}
    for i in np.argsort(-apart, kind="stable"):
        row = scored.replies.row(int(i), named=True)
        if len(found) == number or apart[i] < _APART:
            break
        label = None if np.isnan(labels[i]) else bool(labels[i] > 0.5)
        case = Case(row["id"], row["response"], tuple(map(float, every[:, i])), label)
        found.setdefault(row["pair_id"], case)
    return tuple(found.values())
