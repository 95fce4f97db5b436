"""One run of ``q2 score`` in a process of its own, with its time and that of the models.

``python -m lab.benchmarks.scoring free|real score …`` is the command line with a clock in its models.

Models that cost next to nothing, with one question for each reply, let all other costs be measured.
"""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from lab.benchmarks.machine import peak_megabytes, run_timed
from qsquared.profiles.profile import OPTIONAL_ROLES, ROLES, Profile
from qsquared.records import (
    Answer,
    Chunk,
    GeneratedQuestion,
    InferenceRequest,
    Judgement,
    ParsedText,
    QuestionRequest,
    ReadingRequest,
)

_WORD = re.compile(r"\w{4,}")
_FREE_MARK = "What about "


@dataclass(frozen=True, slots=True)
class FreeModels:
    """All four roles of a profile in one: the last long word of a text is its one noun chunk."""

    profile: Profile
    support_weights: str = "compact"

    def load(self, role: str) -> None:
        """Do nothing: there is nothing to load."""

    def identities(self, roles: Iterable[str] = ROLES) -> dict[str, str]:
        """Return the identity of each role."""
        return {role: self.identity(role) for role in roles}

    def identity(self, role: str) -> str:
        """Return the identity for content keys; the judge takes the name of the profile's."""
        judge = self.profile.entailment.checkpoint
        return f"free {judge}" if role == "entailment" else "free"

    def __getattr__(self, role: str) -> Any:
        if role in ROLES:
            return self
        if role in OPTIONAL_ROLES:
            return None
        raise AttributeError(role)

    def parse(self, texts: Sequence[str]) -> list[ParsedText]:
        """Return one noun chunk for each text with a long word."""
        found = [list(_WORD.finditer(text)) for text in texts]
        return [
            ParsedText(
                text, (), (), (), (Chunk(words[-1].start(), words[-1].end()),) if words else ()
            )
            for text, words in zip(texts, found, strict=True)
        ]

    def generate(self, requests: Sequence[QuestionRequest]) -> list[list[GeneratedQuestion]]:
        """Return one question for each span."""
        return [[GeneratedQuestion(f"{_FREE_MARK}{r.span.text}?", -1.0, "beam")] for r in requests]

    def answer(self, requests: Sequence[ReadingRequest]) -> list[Answer]:
        """Return the word of the question, if the text has it."""
        return [self._answer(r.question.removeprefix(_FREE_MARK)[:-1], r.text) for r in requests]

    def _answer(self, word: str, text: str) -> Answer:
        start = text.find(word)
        if start < 0:
            return Answer(None, None, None, -1.0, 1.0, 1)
        return Answer(word, start, start + len(word), 2.0, 0.0, 1)

    def judge(self, requests: Sequence[InferenceRequest]) -> list[Judgement]:
        """Return neutral, always."""
        return [Judgement(0.2, 0.6, 0.2) for _ in requests]


_METHODS = {"parse", "generate", "answer", "answer_on_knowledge", "judge"}


class _Timed:
    """A model whose calls are timed."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.seconds = 0.0

    def __getattr__(self, method: str) -> Callable[[Sequence[Any]], list[Any]]:
        if method not in _METHODS or not hasattr(self.model, method):
            raise AttributeError(method)
        return partial(self._ask, method)

    def _ask(self, method: str, requests: Sequence[Any]) -> list[Any]:
        started = time.perf_counter()
        replies: list[Any] = getattr(self.model, method)(requests)
        self.seconds += time.perf_counter() - started
        return replies


class _TimedRoles:
    """The models of a profile, the four roles of Q² under a clock."""

    def __init__(self, models: Any) -> None:
        self.models = models
        self.timed = {role: _Timed(getattr(models, role)) for role in ROLES}

    def __getattr__(self, name: str) -> Any:
        return self.timed[name] if name in ROLES else getattr(self.models, name)


_MARK = "benchmark: "


@dataclass(frozen=True, slots=True)
class Run:
    """Wall, processor and model time in seconds, greatest resident memory in MB, seconds of each model."""

    seconds: float
    processor_seconds: float
    model_seconds: float
    peak_megabytes: float
    models: Mapping[str, float]


def run_score(
    models: str, logs: Sequence[Path], store: Path, profile: str, profiles: Path | None = None
) -> Run:
    """Run ``q2 score`` and wait for it.

    Args:
        models: ``real``, or ``free`` for models that cost nothing.
        logs: files or folders to score.
        store: folder of the store.
        profile: name of the profile.
        profiles: file with further profiles.

    Raises:
        RuntimeError: the run failed; with its last messages.
    """
    own = ["--profiles", str(profiles)] if profiles else []
    command = [sys.executable, "-m", "lab.benchmarks.scoring", models, "score", *map(str, logs)]
    seconds, processor_seconds, messages = run_timed(
        [*command, "--store", str(store), "--profile", profile, *own]
    )
    last = next(line for line in reversed(messages.splitlines()) if line.startswith(_MARK))
    told = json.loads(last.removeprefix(_MARK))
    models_seconds = sum(told["models"].values())
    return Run(seconds, processor_seconds, models_seconds, told["peak_megabytes"], told["models"])


def _child(kind: str) -> None:
    from qsquared.cli.main import main
    from qsquared.language.models import build_models
    from qsquared.tasks.running import stage_runner

    made: list[_TimedRoles] = []

    @cache
    def build(profile: Profile, device: str = "cpu") -> _TimedRoles:
        models = FreeModels(profile) if kind == "free" else build_models(profile, device)
        made.append(_TimedRoles(models))
        return made[-1]

    setattr(stage_runner, "build_models", build)  # noqa: B010 - it is the module's own import
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        main()
    finally:
        seconds = {role: sum(models.timed[role].seconds for models in made) for role in ROLES}
        print(
            _MARK + json.dumps({"peak_megabytes": peak_megabytes(), "models": seconds}),
            file=sys.stderr,
        )


if __name__ == "__main__":
    kind = sys.argv.pop(1)
    _child(kind)
