"""Versioned prompts of the roles: templates of the package, or a person's own in their place."""

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Generic, TypeVar

from qsquared.errors import UsageError, cannot_read
from qsquared.language.endpoint.parsing import Form

Value = TypeVar("Value")
Shares = dict[str, float] | None
"""Probabilities of the verdicts, where the server gives them."""

_FIELDS = {
    "generate": {"text", "phrases"},
    "read": {"text", "question"},
    "judge": {"premise", "hypothesis"},
    "judge_claim": {"premise", "hypothesis"},
}
_KEYS = {"name", "version", "usual_tokens", "system", "user"}


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template of a request; ``usual_tokens`` is the length of an answer, by which its price is expected."""

    name: str
    version: int
    system: str
    user: str
    usual_tokens: int

    @property
    def identity(self) -> str:
        """Name, version and a hash of its words, so that no other words go by the same name."""
        words = json.dumps([self.system, self.user]).encode("ascii")
        return f"{self.name}/{self.version}.{hashlib.sha256(words).hexdigest()[:8]}"

    def messages(self, values: Mapping[str, str]) -> list[dict[str, str]]:
        """Return the messages of a request; the values are never read as templates."""
        return [
            {"role": "system", "content": self.system.strip()},
            {"role": "user", "content": Template(self.user).substitute(values).strip()},
        ]


@dataclass(frozen=True)
class Request(Generic[Value]):
    """A text to ask about; ``read`` makes a value of the answer or raises `MalformedAnswerError`."""

    prompt: Prompt
    form: type[Form]
    values: dict[str, str]
    read: Callable[[Any, Shares], Value]


@lru_cache(maxsize=64)
def load_prompts(own: tuple[str, ...] = ()) -> Mapping[str, Prompt]:
    """Return the prompts by name; one of a person's own files takes the place of its namesake.

    Raises:
        UsageError: a file cannot be read, or is no prompt.
    """
    folder = files("qsquared.language.endpoint")
    shipped = (
        _prompt(folder.joinpath(f"{name}.toml").read_text("utf-8"), name) for name in _FIELDS
    )
    return {prompt.name: prompt for prompt in [*shipped, *_own(own)]}


def _own(paths: Iterable[str]) -> Iterable[Prompt]:
    for path in map(Path, paths):
        try:
            yield _prompt(path.read_text(encoding="utf-8"), str(path))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                cannot_read(f"The prompt {path}", path, error), "Check `prompts` in the profile."
            ) from error


def _prompt(content: str, file: str) -> Prompt:
    try:
        table = tomllib.loads(content)
        prompt = Prompt(**table)
        fields = _FIELDS[prompt.name]
        placeholders = set(Template(prompt.user).get_identifiers())
    except (tomllib.TOMLDecodeError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(
            f"{file} is no prompt: it needs the keys {', '.join(sorted(_KEYS))}, and a name among "
            f"{', '.join(_FIELDS)}.",
            "Begin with a copy of the package's prompt: see docs/endpoints.md.",
        ) from error
    if placeholders != fields:
        raise UsageError(
            f"{file} has the places {', '.join(sorted(placeholders)) or 'none'} in `user`; the prompt "
            f"{prompt.name} needs {', '.join(sorted(fields))}.",
            "Write each as $name, and a dollar sign as $$.",
        )
    return prompt


_LETTERS_A_TOKEN = 4
"""Letters of English in a token, about; the server tells how many there were."""


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    return len(text) // _LETTERS_A_TOKEN + 1
