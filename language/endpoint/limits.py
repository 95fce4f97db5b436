"""Limits on requests: how many in a minute, and how many, at what price, in a run."""

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from qsquared.errors import BudgetError

_MINUTE = 60.0
_LETTERS_A_TOKEN = 4
"""Letters of English in a token, about; the server tells how many there were."""


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    return len(text) // _LETTERS_A_TOKEN + 1


class Pace:
    """The requests and tokens of the last minute, of which there may be so many (0: any number)."""

    def __init__(self, requests: int, tokens: int) -> None:
        self._requests, self._tokens = requests, tokens
        self._recent: deque[tuple[float, int]] = deque()
        self._lock = threading.Lock()

    def wait(self, tokens: int) -> float:
        """Return the seconds until a request of so many tokens may go; 0 lets it go now."""
        if not self._requests and not self._tokens:
            return 0.0
        with self._lock:
            now = time.monotonic()
            while self._recent and self._recent[0][0] <= now - _MINUTE:
                self._recent.popleft()
            sent = sum(count for _, count in self._recent)
            # A request above the limit of a minute goes alone.
            full = (self._requests and len(self._recent) >= self._requests) or (
                self._tokens and self._recent and sent + tokens > self._tokens
            )
            if full:
                return self._recent[0][0] + _MINUTE - now
            self._recent.append((now, tokens))
            return 0.0


@dataclass
class Estimate:
    """Requests that a run would send, their tokens and price, counted beforehand."""

    requests: float = 0
    input_tokens: float = 0
    output_tokens: float = 0
    cost: float = 0.0
    currency: str = "USD"

    def add(self, input_tokens: int, output_tokens: int, cost: float) -> None:
        """Count a request."""
        self.requests += 1
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        self.cost += cost

    def times(self, factor: float) -> "Estimate":
        """Return the estimate for so many times as much."""
        tokens = (self.input_tokens * factor, self.output_tokens * factor)
        return Estimate(self.requests * factor, *tokens, self.cost * factor, self.currency)

    def __str__(self) -> str:
        price = f", {self.cost:.2f} {self.currency}" if self.cost else ""
        return (
            f"about {self.requests:,.0f} requests with {self.input_tokens:,.0f} tokens, answered in "
            f"{self.output_tokens:,.0f}{price}"
        )


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
