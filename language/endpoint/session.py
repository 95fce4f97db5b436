"""The work for which a server is asked: where answers are kept, and what may be sent and spent."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from qsquared.errors import BudgetError

Entry = Mapping[str, Any]
"""A request's answer with all that is known of it: a row of the table `requests`."""


class Journal(Protocol):
    """Answers that are kept at once and found again, from any thread."""

    def find(self, key: str) -> Entry | None:
        """Return the sound answer to a request, or None."""

    def add(self, entry: Entry) -> None:
        """Keep an answer, sound or not, before anyone uses it."""


class Memory:
    """A journal that lasts as long as the process, for scores without a store."""

    def __init__(self) -> None:
        self._sound: dict[str, Entry] = {}

    def find(self, key: str) -> Entry | None:
        """Return the sound answer to a request, or None."""
        return self._sound.get(key)

    def add(self, entry: Entry) -> None:
        """Keep an answer."""
        if entry["sound"]:
            self._sound[entry["key"]] = entry


@dataclass
class Spending:
    """The requests of a process and their price, which may not exceed the limits that are given."""

    max_requests: int = 0
    max_cost: float = 0.0
    """0 for any number and any price."""
    requests: int = 0
    reused: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    currency: str = "USD"
    _expected: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def begin(self, expected: float) -> None:
        """Count a request that is about to be sent, with its expected price.

        Raises:
            BudgetError: it would exceed a limit.
        """
        with self._lock:
            over = self.max_cost and self.cost + self._expected + expected > self.max_cost
            if over or (self.max_requests and self.requests >= self.max_requests):
                option = "--max-cost" if over else "--max-requests"
                raise BudgetError(
                    f"The limit of {option} is reached: {self}.",
                    "What was answered is kept; with a higher limit the same command continues.",
                )
            self.requests += 1
            self._expected += expected

    def end(self, expected: float, input_tokens: int, output_tokens: int, cost: float) -> None:
        """Count what a request has cost in the place of what was expected."""
        with self._lock:
            self._expected -= expected
            self.input_tokens += input_tokens
            self.output_tokens += output_tokens
            self.cost += cost

    def clear(self) -> None:
        """Begin to count a run."""
        self.requests = self.reused = self.input_tokens = self.output_tokens = 0
        self.cost = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the counts as the record of a run has them."""
        names = ("requests", "reused", "input_tokens", "output_tokens", "cost", "currency")
        return {name: getattr(self, name) for name in names}

    def reuse(self, answers: int) -> None:
        """Count answers that were kept before."""
        with self._lock:
            self.reused += answers

    @property
    def told(self) -> str:
        """The requests, tokens and price in words; empty before the first request."""
        return str(self) if self.requests else ""

    def __str__(self) -> str:
        tokens = f"{self.input_tokens + self.output_tokens:,} tokens"
        price = f", {self.cost:.4f} {self.currency}" if self.cost else ""
        return f"{self.requests:,} requests, {tokens}{price}"


@dataclass
class Session:
    """A run's requests; ``may_send`` is whether a person agreed that texts leave this machine."""

    journal: Journal = field(default_factory=Memory)
    spending: Spending = field(default_factory=Spending)
    may_send: bool = False
    stage: str = ""
    shard: str = ""
    run: str = ""


_session: ContextVar[Session | None] = ContextVar("session", default=None)
_lasting = Session()


def current_session() -> Session:
    """Return the session of the stage at work; outside of one, that of the process."""
    return _session.get() or _lasting


@contextmanager
def asking_in(session: Session) -> Iterator[None]:
    """Let models ask within a session."""
    token = _session.set(session)
    try:
        yield
    finally:
        _session.reset(token)
