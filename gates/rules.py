"""A night's gates as a person writes them in TOML; ``gates/verdicts.py`` checks them on its scores.

A file of rules looks like ``examples/gates.toml``.
"""

from __future__ import annotations

import os
from datetime import time
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from qsquared.errors import UsageError
from qsquared.method.threshold import THRESHOLD
from qsquared.toml_files import read_toml

Share = Annotated[float, Field(ge=0, le=1)]
Number = Annotated[int, Field(ge=1)]

SCORES = {
    "leading": ("scores", "coalesce(support, q2)"),
    "q2": ("scores", "q2"),
    "q2_without_nli": ("scores", "q2_without_nli"),
    "support": ("scores", "support"),
    "blend": ("blend", "blend"),
}
"""The scores that a rule may count by: name → stage and column; the leading one is support, else Q²."""


_KEYS = "See examples/gates.toml and docs/gates.md for what may stand there."
_INSTEAD = {
    "calibration": "Write threshold = …, which q2 calibrate finds with --precision or --recall.",
    "significance": "Write false_alarms = 1, the false alarms that are expected in a year.",
}
"""The way to write what keys of older versions said."""

_DAYS_OF_EVIDENCE = 4
"""A watch goes over so many times the days that a night is compared with."""


class _Rule(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Gate(_Rule):
    """Fields of all gates: a kind, and a name for messages (empty: one made of the rest)."""

    kind: str
    name: str = ""

    @property
    def title(self) -> str:
        """The name that a person gave, or the kind and group."""
        group = getattr(self, "group", "")
        return self.name or (f"{self.kind} by {group}" if group else self.kind)


class Grouped(Gate):
    """Fields of the gates that judge each group of turns apart.

    ``group`` is a metadata field of the log (empty: all turns together); ``minimum`` are the least turns
    that are judged.
    """

    group: str = ""
    minimum: Number = 20


class Inconsistency(Grouped):
    """The share of scored turns at or below the threshold, in each group, is at most ``limit``.

    With ``rate = "corrected"`` the share is the one that judgements correct (`q2 rate`), over ``days``
    days up to the date, and ``minimum`` counts labels.
    """

    kind: Literal["inconsistency"]
    limit: Share
    rate: Literal["scores", "corrected"] = "scores"
    days: Number = 28


class Trailing(Grouped):
    """A share of turns is not above that of the ``days`` before the last week, by a test that may look every night.

    Without so many days it is compared with the days directly before.

    ``false_alarms`` are expected in a year without a rise, over all groups together (see
    `qsquared.gates.sequential_test`).
    ``least_rise`` is how much the share must have grown to matter; ``least_days`` with turns, and
    ``minimum`` turns on them, are the least history that a group is compared with.
    """

    days: Number = 56
    false_alarms: Annotated[float, Field(gt=0, le=50)] = 1.0
    least_rise: Annotated[float, Field(gt=0, lt=1)] = 0.05
    least_days: Annotated[int, Field(ge=2)] = 7

    @property
    def evidence_of_alarm(self) -> float:
        """The evidence that is an alarm: nights until a false one is expected."""
        return 365 / self.false_alarms


class Rise(Trailing):
    """The share of scored turns at or below the threshold has not risen."""

    kind: Literal["rise"]


class NoClaim(Trailing):
    """The share of turns that claim nothing has not risen.

    They have no score and are outside coverage, so that a rise would hide replies from all others.
    """

    kind: Literal["no_claim"]


class Coverage(Grouped):
    """At least the share ``limit`` of the turns has a score, in each group.

    Turns that claim nothing count neither among the turns nor for ``minimum``.
    """

    kind: Literal["coverage"]
    limit: Share


class Rejects(Gate):
    """At most the share ``limit`` of the rows of the logs could not be read as turns."""

    kind: Literal["rejects"]
    limit: Share


class Freshness(Gate):
    """By the time ``by`` of the next day there is a log of the date with at least one turn."""

    kind: Literal["freshness"]
    by: time

    @field_validator("by", mode="before")
    @classmethod
    def _as_text_or_time(cls, value: Any) -> Any:
        if isinstance(value, int | float):
            raise ValueError('a time stands in quotes, as "06:00"')  # noqa: TRY004 - pydantic's way
        return value


AnyGate = Annotated[
    Inconsistency | Rise | NoClaim | Coverage | Rejects | Freshness, Field(discriminator="kind")
]


class Webhook(_Rule):
    """The address to which broken gates and failed nights are posted.

    ``url`` is the address, or ``url_from`` the environment variable that holds it, since such an
    address is often a secret.
    ``format`` is ``json`` (the broken gates with what was found) or ``chat`` (an incoming webhook: ``{"text": …}``).
    """

    url: str = ""
    url_from: str = ""
    format: Literal["json", "chat"] = "json"
    retries: Annotated[int, Field(ge=0, le=10)] = 5
    timeout_seconds: Annotated[float, Field(gt=0, le=300)] = 10.0

    @model_validator(mode="after")
    def _one_address(self) -> Webhook:
        if bool(self.url) == bool(self.url_from):
            raise ValueError("it needs either url or url_from")
        if self.url and not self.url.startswith(("http://", "https://")):
            raise ValueError("url does not begin with http:// or https://")
        return self

    def address(self) -> str:
        """Return the address itself.

        Raises:
            UsageError: the environment variable that should hold it does not.
        """
        address = self.url or os.environ.get(self.url_from, "")
        if not address.startswith(("http://", "https://")):
            raise UsageError(
                f"The environment variable {self.url_from} holds no http address for the webhook.",
                "Set it where the worker runs, or write url = … into the rules.",
            )
        return address


class GateRules(_Rule):
    """The rules: the score that counts, the threshold of an inconsistent turn, and the gates."""

    score: Literal["leading", "q2", "q2_without_nli", "support", "blend"] = "leading"
    threshold: Share = THRESHOLD
    timezone: str = "UTC"
    gate: tuple[AnyGate, ...] = Field(min_length=1)
    webhook: Webhook | None = None

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError(f"there is no time zone {value!r}") from error
        return value

    def low(self, lead: str = "") -> str:
        """Return the words for inconsistent turns in a sentence, after "… turns".

        ``lead`` says which score leads on the date, where the rules ask for the leading one.
        """
        said = (lead or "a score") if self.score == "leading" else self.score
        return f"have {said} of {self.threshold:g} or below"

    @property
    def history_days(self) -> int:
        """The number of days before the date from which the watch for rises takes its evidence, 0 without one."""
        days = (gate.days for gate in self.gate if isinstance(gate, Trailing))
        return _DAYS_OF_EVIDENCE * max(days, default=0)

    @property
    def groups(self) -> tuple[str, ...]:
        """The metadata fields that turns are grouped by, each once; empty for no grouping."""
        return tuple(dict.fromkeys(["", *(getattr(gate, "group", "") for gate in self.gate)]))


def read_rules(path: Path) -> GateRules:
    """Return the rules in a TOML file.

    Raises:
        UsageError: the file cannot be read or holds something else; the error says at what place.
    """
    tables = read_toml("The gates", path)
    try:
        return GateRules(**tables)
    except ValidationError as error:
        # A key that nobody knows is mostly the misspelt one that is missing, too.
        first = max(error.errors(), key=lambda problem: problem["type"] == "extra_forbidden")
        path_of_key = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"{path} is not valid{f' at {path_of_key}' if path_of_key else ''}: {first['msg']}.",
            _INSTEAD.get(path_of_key.rpartition(".")[2], _KEYS),
        ) from error
