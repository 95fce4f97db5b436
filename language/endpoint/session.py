"""The work for which a server is asked: where answers are kept, and what may be sent and spent."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from qsquared.language.endpoint.limits import Estimate, Spending

Entry = Mapping[str, Any]
"""A request's answer with all that is known of it: a row of the table `requests`."""


class Journal(Protocol):
    """Answers that are kept at once and found again, from any thread."""

    def find(self, key: str) -> Entry | None:
        """Return the sound answer to a request, or None."""
        ...

    def add(self, entry: Entry) -> None:
        """Keep an answer, sound or not, before anyone uses it."""
        ...


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
class Session:
    """A run's requests; ``may_send`` is whether a person agreed that texts leave this machine."""

    journal: Journal = field(default_factory=Memory)
    spending: Spending = field(default_factory=Spending)
    may_send: bool = False
    stage: str = ""
    shard: str = ""
    run: str = ""
    estimate: Estimate | None = None
    """Counts the requests that stand-ins answer; if it is set, nothing is sent."""


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
