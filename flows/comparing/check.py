"""A profile checked by sixty labelled replies: whether it works at all, and how fast it is here."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import as_file
from pathlib import Path
from typing import Any

import numpy as np

from qsquared import __version__
from qsquared.flows.comparing.scores import ProfileScores, scores_by_profile
from qsquared.language.engines.cache import checks_folder, write_check
from qsquared.method.bootstrap import Array
from qsquared.method.quality import Quality, quality
from qsquared.method.threshold import is_inconsistent
from qsquared.profiles.anchors import LOG, anchors
from qsquared.profiles.loading import get_profile
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.metric import CONSISTENCY, Q2

LEVEL = 0.001
"""A judge without any relation to the labels passes in one of so many checks; sixty replies need a
ROC-AUC of .73 for that."""

_MOST_UNSCORED = 6
_LEAST_ASKED = 20
"""Replies of the sixty on which a question must come through; `compact` asks about fifty and more."""
_MEASURES = {
    "score": "support, the score that leads",
    "judge": "the judge alone",
    "consistency": "the consistency model",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """Replies of one kind and label, and how many are on the right side of the threshold."""

    name: str
    supported: bool
    replies: int
    right: int


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check; a profile with ``problems`` fails."""

    profile: str
    at: str
    version: str
    measures: dict[str, Quality]
    kinds: tuple[Kind, ...]
    wrong: tuple[str, ...]
    asked: int
    seconds_per_reply: float
    requests: dict[str, Any] | None
    problems: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return what the record of the check keeps, as a plain JSON object."""
        replies = sum(kind.replies for kind in self.kinds)
        return {
            "at": self.at,
            "version": self.version,
            "replies": replies,
            "right": replies - len(self.wrong),
            "roc_auc": {name: one.auc.value for name, one in self.measures.items()},
            "seconds_per_reply": self.seconds_per_reply,
            "requests": self.requests,
            "problems": list(self.problems),
        }


def check_profile(
    name: str, profiles: Path | None = None, device: str = "cpu", *, yes: bool = False
) -> Check:
    """Score the sixty replies by a profile, judge the scores by the labels, and record the result.

    The scores stay in a store of this machine's cache, so that a second check asks no model again.

    Raises:
        UsageError: there is no such profile.
        ModelError: a model of it is not there or cannot be loaded.
    """
    provided = get_profile(name, profiles).provides
    metrics = (Q2.name, *([CONSISTENCY.name] if "consistency" in provided else []))
    with as_file(LOG) as log:
        scored = scores_by_profile(
            ScoreOptions(
                logs=[str(log)],
                store=str(checks_folder() / "store"),
                profile=name,
                profiles=str(profiles.absolute()) if profiles else "",
                metrics=metrics,
                device=device,
                yes=yes,
            )
        )
    check = judge(scored)
    write_check(scored.models, check.to_json())
    return check


def judge(scored: ProfileScores) -> Check:
    """Return the check of a profile's scores of the sixty replies."""
    known = {one.id: one for one in anchors()}
    judged = [known[name] for name in scored.replies["id"]]
    labels = np.array([float(one.supported) for one in judged])
    measures = {
        name: quality(labels, scored.values(column), scored.clusters)
        for column, name in _MEASURES.items()
        if not np.isnan(scored.values(column)).all()
    }
    score = scored.values("score")
    # An unscored reply is on neither side.
    right = ~np.isnan(score) & (is_inconsistent(score) == (labels < 0.5))
    names = sorted({(not one.supported, one.kind) for one in judged})
    kinds = []
    for unsupported, kind in names:
        own = np.array([(one.supported, one.kind) == (not unsupported, kind) for one in judged])
        kinds.append(Kind(kind, not unsupported, int(own.sum()), int(right[own].sum())))
    return Check(
        scored.profile,
        datetime.now(UTC).isoformat(timespec="seconds"),
        __version__,
        measures,
        tuple(kinds),
        tuple(one.id for one, well in zip(judged, right, strict=True) if not well),
        int((scored.values("questions") > 0).sum()),
        scored.seconds_per_reply,
        scored.requests,
        tuple(_problems(scored, score, measures)),
    )


def _problems(scored: ProfileScores, score: Array, measures: dict[str, Quality]) -> Iterator[str]:
    unscored = scored.replies.filter(np.isnan(score))
    if len(unscored) > _MOST_UNSCORED:
        reasons = unscored["reason"].drop_nulls()
        reason = reasons[0] if len(reasons) else "no reason is known"
        yield f"{len(unscored)} of the {len(score)} replies have no score: {reason}"
    asked = int((scored.values("questions") > 0).sum())
    if asked < _LEAST_ASKED:
        yield (
            f"On {asked} of the {len(score)} replies a question comes through: the reader or the "
            "question generation is broken or swapped."
        )
    for name, found in measures.items():
        value = found.auc.value
        if found.p_value > LEVEL and value is not None:
            swapped = value < 0.3
            yield (
                f"ROC-AUC {value:.2f} of {name} is no better than chance may give: "
                + (
                    "its labels look swapped."
                    if swapped
                    else "a model is broken, swapped or badly prompted."
                )
            )
