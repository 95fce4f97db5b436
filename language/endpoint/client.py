"""One request to a server with OpenAI's interface, by the official client.

A server may refuse a parameter: it is then asked without, from then on, and the log says so once.
"""

import json
import logging
import os
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from qsquared.errors import EndpointError, first_line
from qsquared.language.endpoint.parsing import Chances, Form
from qsquared.profiles.endpoints import Endpoint

logger = logging.getLogger("qsquared")

_FORMAT = "response_format"
"""Asks for JSON of a form, which the prompt states, too."""
_OPTIONAL = ("logprobs", "seed", "temperature", _FORMAT)
_LENGTHS = ("max_tokens", "max_completion_tokens")
_ALTERNATIVES = 10
_SHOWN = 300
_KEY = re.compile("[!-~]*")
"""The characters that a header can carry; the client would take others for a server that is away."""
_RETRIES = 2
"""Of the client itself, with growing waits or the server's `Retry-After`; longer waits are ours."""


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer with its tokens' alternatives (empty: not given), and what the server says of itself.

    The fields have the names of the columns of the table `requests`.
    """

    answer: str
    chances: Chances
    finish: str
    reported_model: str
    fingerprint: str | None
    input_tokens: int
    output_tokens: int


class AwayError(Exception):
    """The server did not answer, and may do so later; ``seconds`` is the wait that it asks for, or 0."""

    def __init__(self, reason: str, seconds: float = 0.0, *, busy: bool = False) -> None:
        super().__init__(reason)
        self.seconds = seconds
        self.busy = busy


class RefusedError(Exception):
    """The server refuses this request, and would do so again."""


class Client:
    """A server's client, which learns what the server takes."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.settled = False
        """Whether an answer has shown that the server takes what it is asked for."""
        self._length = _LENGTHS[0]
        self._left_out: set[str] = set()
        self._learning = threading.Lock()
        self._key = os.environ.get(endpoint.key_variable, "") if endpoint.key_variable else ""
        self._client: Any = None

    def open(self) -> None:
        """Make the client, before any thread asks.

        Raises:
            EndpointError: the package `openai` is not installed, the variable of the key is not set or
                holds no key, or a proxy that the environment names cannot be used.
        """
        if self._client is not None:
            return
        self._check_key()
        try:
            from openai import DefaultHttpxClient, OpenAI
        except ImportError as error:
            raise EndpointError(
                "A role of the profile is played by a server, and the package openai, which asks it, "
                "is not installed.",
                "Install what it needs with: pip install -e '.[endpoint]'",
            ) from error
        # A proxy would carry texts off that are not to leave this machine; HTTPS takes its certificates
        # from the environment, too. A redirect would send them to an address that nobody agreed to.
        direct: dict[str, Any] = {
            "trust_env": self.endpoint.base_url.startswith("https:"),
            "mounts": {"http://": None, "https://": None},
        }
        try:
            self._client = OpenAI(
                base_url=self.endpoint.base_url,
                # The client refuses to be made without a key; a server without one ignores it.
                api_key=self._key or "none",
                timeout=self.endpoint.timeout_seconds,
                max_retries=_RETRIES,
                http_client=DefaultHttpxClient(
                    follow_redirects=False, **(direct if self.endpoint.is_here else {})
                ),
            )
        except (ImportError, ValueError) as error:
            raise EndpointError(
                f"The server {self.endpoint.host} cannot be asked through the proxy that the "
                f"environment names: {first_line(error)}",
                "Change HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or name the host in NO_PROXY.",
            ) from None

    def _check_key(self) -> None:
        named, host = self.endpoint.key_variable, self.endpoint.host
        if named and not self._key:
            raise EndpointError(
                f"The environment variable {named}, which the profile names for the key of {host}, "
                "is not set.",
                f"Set it: export {named}=…",
            )
        if not _KEY.fullmatch(self._key):
            raise EndpointError(
                f"The environment variable {named} holds no key of {host}: a key is one word of "
                "ASCII letters, digits and signs, and this has a space, a line break or another letter.",
                f"Copy the key anew, without what stands around it: export {named}=…",
            )

    @property
    def taken(self) -> str:
        """The parameters that the server is asked with, for the journal."""
        way = "plain" if _FORMAT in self._left_out else _FORMAT
        return "+".join([way, *(name for name in _OPTIONAL[:-1] if name not in self._left_out)])

    def complete(
        self, messages: Sequence[Mapping[str, str]], form: type[Form], longest: int
    ) -> Completion:
        """Return the model's answer, at most so many tokens long.

        Raises:
            AwayError: the server cannot be reached, is too busy or fails.
            RefusedError: it refuses this request.
            EndpointError: it refuses the key, or has no such model.
        """
        import openai

        while True:
            fields = self.asked(form, longest)
            try:
                response = self._client.chat.completions.create(
                    model=self.endpoint.model, messages=list(messages), **fields
                )
                completion = _read(response)
            except openai.APIStatusError as error:
                message = self._said(error)
                if error.status_code in {400, 422} and self._learn(message, fields):
                    continue
                raise self._refusal(error, message) from None
            except openai.OpenAIError as error:
                # Without its cause, whose frames hold the headers of the request.
                raise AwayError(self._redacted(first_line(error))) from None
            except (ValueError, AttributeError, TypeError, IndexError, KeyError) as error:
                raise AwayError(f"its reply is no completion ({type(error).__name__})") from None
            self.settled = True
            return completion

    def asked(self, form: type[Form], longest: int) -> dict[str, Any]:
        """Return the fields of a request beside model and messages."""
        endpoint = self.endpoint
        schema = {"name": form.__name__, "schema": _schema(form), "strict": True}
        optional = {
            _FORMAT: {"type": "json_schema", "json_schema": schema},
            "temperature": endpoint.temperature,
            "seed": endpoint.seed,
            "logprobs": True,
        }
        fields: dict[str, Any] = {self._length: longest}
        fields |= {
            name: value
            for name, value in optional.items()
            if value is not None and name not in self._left_out
        }
        if "logprobs" in fields:
            fields["top_logprobs"] = _ALTERNATIVES
        if endpoint.extra:
            fields["extra_body"] = json.loads(endpoint.extra)
        return fields

    def _learn(self, message: str, fields: Mapping[str, Any]) -> bool:
        """Leave out what a server refuses; return whether there is something new to try.

        What the message does not name is tried one after another, until the first answer.
        """
        with self._learning:
            if fields.keys() != self.asked(Form, 1).keys():
                return True  # another thread has learned it meanwhile
            words = message.lower()
            other = _LENGTHS[1] in words or (_LENGTHS[0] in words and not self.settled)
            if other and self._length == _LENGTHS[0]:
                self._length = _LENGTHS[1]
                self._tell(_LENGTHS[0])
                return True
            candidates = [name for name in _OPTIONAL if name in fields]
            named = [name for name in candidates if name.removesuffix("_format") in words]
            chosen = (named or ([] if self.settled else candidates[::-1]))[:1]
            self._left_out.update(chosen)
            for name in chosen:
                self._tell(name)
            return bool(chosen)

    def _tell(self, name: str) -> None:
        logger.warning(
            "The server %s does not take `%s` with %s; it is asked without.",
            self.endpoint.host, name, self.endpoint.model,
        )  # fmt: skip

    def _refusal(self, error: Any, message: str) -> Exception:
        status, host = error.status_code, self.endpoint.host
        if status == 401 or "insufficient_quota" in message:
            named = self.endpoint.key_variable
            return EndpointError(
                f"The server {host} refuses the key: {message}",
                f"Check the environment variable {named}."
                if named
                else "Name the environment variable of a key as key_variable in the profile.",
            )
        if status in {403, 404}:
            return EndpointError(
                f"The server {host} does not give the model {self.endpoint.model}: {message}",
                "Check base_url and model in the profile; the address usually ends in /v1.",
            )
        if 300 <= status < 400:
            return EndpointError(
                f"The server {host} sends requests on to another address: "
                f"{self._redacted(error.response.headers.get('location', 'it names none'))}",
                "Name that address as base_url in the profile, if texts may go there.",
            )
        if status in {408, 409, 429} or status >= 500:
            return AwayError(f"{status}: {message}", _retry_after(error), busy=status == 429)
        return RefusedError(f"the server refuses the request ({status}: {message})")

    def _said(self, error: Any) -> str:
        body = error.body if isinstance(error.body, dict) else {}
        return self._redacted(str(body.get("message") or error.message))

    def _redacted(self, text: str) -> str:
        """Return the first words of a message, without the key that it may repeat."""
        if self._key:
            text = text.replace(self._key, "***")
        return " ".join(text.split())[:_SHOWN]


@lru_cache
def _schema(form: type[Form]) -> dict[str, Any]:
    """Return the JSON schema of an answer, which takes longer to make than to send."""
    return form.model_json_schema()


def _retry_after(error: Any) -> float:
    try:
        return max(0.0, float(error.response.headers.get("retry-after", 0)))
    except ValueError:
        return 0.0


def _read(response: Any) -> Completion:
    choice = response.choices[0]
    tokens = (choice.logprobs.content if choice.logprobs else None) or []
    usage = response.usage
    return Completion(
        choice.message.content or "",
        [(each.token, [(top.token, top.logprob) for top in each.top_logprobs]) for each in tokens],
        choice.finish_reason or "",
        response.model or "",
        response.system_fingerprint or None,
        usage.prompt_tokens if usage else 0,
        usage.completion_tokens if usage else 0,
    )


def is_same_model(model: str, reported: str) -> bool:
    """Return whether a server's name for a model is the one asked for, or one of its dated versions."""
    first, second = (name.lower().rpartition("/")[2] for name in (model, reported))
    return first == second or second.startswith(tuple(f"{first}{mark}" for mark in "-@:."))
