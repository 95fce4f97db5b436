"""Requests to one server: each answered once, kept at once, several at a time, whatever the server does.

An answer that is not of the form asked for, or is cut off, is asked for again with a remark; a server
that is away is waited for.
"""

import hashlib
import json
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar

from qsquared.errors import EndpointError, UnansweredError
from qsquared.language.endpoint.client import (
    AwayError,
    Client,
    Completion,
    RefusedError,
    is_same_model,
)
from qsquared.language.endpoint.parsing import MalformedAnswerError, parse, verdict_chances
from qsquared.language.endpoint.prompts import Request, Shares, estimated_tokens
from qsquared.language.endpoint.session import Entry, Session, current_session
from qsquared.language.neural.batches import RowCounter
from qsquared.profiles.endpoints import Endpoint
from qsquared.records import Failure

logger = logging.getLogger("qsquared")

Value = TypeVar("Value")

ATTEMPTS = 3
"""Requests for one answer, while it is malformed or cut off."""
_FAILURES = 5
"""Failures of a request that others do not share, after which it is the request that fails."""
_LONGEST_WAIT = 30.0
"""Seconds between two tries, at most."""


class _StoppedError(Exception):
    """Another request has ended the run."""


class Exchange:
    """A server that several roles may share."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.client = Client(endpoint)
        self._answers = 0
        self._away_since: float | None = None
        self._lock = threading.Lock()
        self._told = False

    def ask(self, requests: Sequence[Request[Value]]) -> list[Value | Failure]:
        """Return one value or failure for each request.

        Raises:
            EndpointError: the server cannot be asked, was away for too long, or may not be asked more.
        """
        session = current_session()
        keys = [self.key(request) for request in requests]
        counter = RowCounter(len(requests))
        values: dict[str, Value | Failure] = {}
        left: dict[str, Request[Value]] = {}
        for key, request in zip(keys, requests, strict=True):
            kept = self._known(session, key, request)
            if kept is None:
                left[key] = request
            else:
                values[key] = kept
        session.spending.reuse(len(values))
        list(counter.counted(values))
        if left:
            self._check(session)
            values |= dict(counter.counted(self._each(session, left)))
        return [values[key] for key in keys]

    def key(self, request: Request[Any]) -> str:
        """Return the name of an answer: model, parameters, prompt and texts, without the address."""
        endpoint = self.endpoint
        content = [endpoint.model, endpoint.parameters, request.prompt.identity, request.values]
        plain = json.dumps(content, sort_keys=True).encode("ascii")
        return hashlib.blake2b(plain, digest_size=16).hexdigest()

    @staticmethod
    def _known(session: Session, key: str, request: Request[Value]) -> Value | None:
        """Return the value of an answer that was kept; a stricter reading may refuse it."""
        entry = session.journal.find(key)
        if entry is None:
            return None
        try:
            return request.read(parse(request.form, entry["answer"]), entry["chances"])
        except MalformedAnswerError:
            return None

    def _check(self, session: Session) -> None:
        endpoint = self.endpoint
        allowed = endpoint.is_here or session.may_send or endpoint.host in endpoint.allow
        if not allowed:
            raise EndpointError(
                f"This sends the replies, their questions and their knowledge to {endpoint.host} "
                f"({endpoint.model}), and nobody has agreed to that.",
                f'Agree with --yes, or for good with allow = ["{endpoint.host}"] in the profile.',
            )
        self.client.open()
        if not endpoint.is_here and not self._told:
            self._told = True
            logger.warning(
                "Replies, their questions and their knowledge are sent to %s (%s).",
                endpoint.host, endpoint.model,
            )  # fmt: skip

    def _each(self, session: Session, left: dict[str, Request[Value]]) -> Iterator[tuple[str, Any]]:
        """Yield (key, value) as answers come; the first request goes alone, until the server is known."""
        stop = threading.Event()
        waiting = list(left.items())
        with ThreadPoolExecutor(self.endpoint.concurrency) as pool:
            try:
                while waiting:
                    some = waiting if self.client.settled else waiting[:1]
                    waiting = waiting[len(some) :]
                    key_of = {
                        pool.submit(self._answer, session, stop, key, request): key
                        for key, request in some
                    }
                    for future in as_completed(key_of):
                        yield key_of[future], future.result()
            finally:
                # What is on its way is waited for and kept; nothing else is sent.
                stop.set()
                pool.shutdown(cancel_futures=True)

    def _answer(
        self, session: Session, stop: threading.Event, key: str, request: Request[Value]
    ) -> Value | Failure:
        # Another process, or another stage, may have asked meanwhile.
        kept = self._known(session, key, request)
        if kept is not None:
            session.spending.reuse(1)
            return kept
        prompt = messages = request.prompt.messages(request.values)
        longest, wrong = self.endpoint.longest_answer, ""
        for attempt in range(ATTEMPTS):
            try:
                completion = self._complete(session, stop, request, messages, longest)
                if completion.finish == "length":
                    longest *= 2
                    raise MalformedAnswerError("the answer was cut off")  # noqa: TRY301
                value, chances = self._read(request, completion)
            except MalformedAnswerError as error:
                wrong = str(error)
                remark = f"Your last answer was refused: {wrong}. Answer anew."
                messages = [*prompt, {"role": "user", "content": remark}]
            except RefusedError as error:
                return Failure(str(error))
            else:
                self._keep(session, request, completion, (key, attempt), "", chances)
                return value
            self._keep(session, request, completion, (key, attempt), wrong, None)
        return Failure(f"{wrong}, {ATTEMPTS} times")

    def _read(self, request: Request[Value], completion: Completion) -> tuple[Value, Shares]:
        model, reported = self.endpoint.model, completion.reported_model
        if reported and not is_same_model(model, reported):
            raise MalformedAnswerError(f"it is another model's, {reported}")
        chances = verdict_chances(completion.chances)
        return request.read(parse(request.form, completion.answer), chances), chances

    def _complete(
        self,
        session: Session,
        stop: threading.Event,
        request: Request[Any],
        messages: Sequence[dict[str, str]],
        longest: int,
    ) -> Completion:
        """Return an answer of the server, which is waited for while it is away.

        Raises:
            EndpointError: it was away for too long, or a limit is reached.
        """
        endpoint, failures = self.endpoint, 0
        tokens = sum(estimated_tokens(message["content"]) for message in messages)
        expected = endpoint.price(tokens, request.prompt.usual_tokens)
        if stop.is_set():
            raise _StoppedError
        session.spending.currency = endpoint.currency
        session.spending.begin(expected)
        completion: Completion | None = None
        try:
            while completion is None:
                answers = self._answers
                try:
                    completion = self.client.complete(messages, request.form, longest)
                except AwayError as error:
                    failures += not error.busy
                    if failures >= _FAILURES and self._answers > answers:
                        raise RefusedError(f"the server failed {failures} times: {error}") from None
                    self._wait(error, failures, stop)
            self._answers += 1
            self._away_since = None
            return completion
        finally:
            used = (completion.input_tokens, completion.output_tokens) if completion else (0, 0)
            session.spending.end(expected, *used, endpoint.price(*used))

    def _wait(self, error: AwayError, failures: int, stop: threading.Event) -> None:
        """Wait for a server that is away, and say so once.

        Raises:
            UnansweredError: it has been away for longer than the profile lets it.
            _StoppedError: another request has ended the run meanwhile.
        """
        host, patience = self.endpoint.host, self.endpoint.patience_minutes
        with self._lock:
            now, first = time.monotonic(), self._away_since is None
            since = self._away_since = self._away_since or now
        away = now - since
        left = patience * 60 - away
        if left <= error.seconds:
            raise UnansweredError(
                f"The server {host} has not answered for {away:.0f} seconds: {error}.",
                "What was answered is kept; once the server is back, the same command continues.",
            )
        if first:
            logger.warning(
                "The server %s does not answer (%s). It is waited for, up to %g minutes.",
                host, error, patience,
            )  # fmt: skip
        growing = min(_LONGEST_WAIT, 2.0 ** max(failures - 1, 0))
        if stop.wait(min(error.seconds or growing, left)):
            raise _StoppedError

    def _keep(
        self,
        session: Session,
        request: Request[Any],
        completion: Completion,
        which: tuple[str, int],
        wrong: str,
        chances: Shares,
    ) -> None:
        key, attempt = which
        used = (completion.input_tokens, completion.output_tokens)
        entry: Entry = asdict(completion) | {
            "key": key,
            "sound": not wrong,
            "wrong": wrong or None,
            "answered_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "run": session.run or None,
            "stage": session.stage,
            "shard": session.shard,
            "prompt": request.prompt.identity,
            "model": self.endpoint.model,
            "asked_with": self.client.taken,
            "attempt": attempt + 1,
            "cost": self.endpoint.price(*used),
            "currency": self.endpoint.currency,
            "chances": chances,
        }
        session.journal.add(entry)


@lru_cache(maxsize=16)
def exchange_with(endpoint: Endpoint) -> Exchange:
    """Return the exchange with a server, one in a process for equal settings."""
    return Exchange(endpoint)
