"""The training of a classifier of replies: its silver examples, a kill."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from safetensors.torch import load_file

from lab.training.begin import SILVER, balanced, train_on_silver
from lab.training.encoders.fit import Settings
from lab.training.mixture.inference import read_silver
from lab.training.mixture.reading import is_development
from qsquared.language.judging.begin_classifier import ReplyClassifier
from qsquared.method.begin import LABELS
from qsquared.profiles.model_parameters import ClassificationParameters
from qsquared.records import ReplyRequest
from tests.conftest import ROOT
from tests.language.tiny_models import bert_nli

SETTINGS = Settings(epochs=2.0, batch=4, threads=1, bf16=False, save_steps=2, frozen_layers=1)
GROUPS = [f"topic {i}" for i in range(60)]


@pytest.fixture
def silver(tmp_path):
    """A few silver examples of small texts, on topics of both sides of the split."""
    held = [group for group in GROUPS if is_development(group)][:1]
    groups = [group for group in GROUPS if not is_development(group)][:3] + held
    rows = [
        {
            "label": LABELS[i % 5],
            "evidence": f"{name} visited the old city in {1900 + i}.",
            "previous": "Who visited the city?",
            "response": f"Yes, {name} visited the old city.",
            "group": groups[i % len(groups)],
            "transformation": "made for the test",
        }
        for i, name in enumerate(["Mary", "John", "Anna", "Peter", "Ruth", "Hugo"] * 20)
    ]
    path = tmp_path / "silver.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def base(tmp_path):
    """A tiny classifier of three classes, as an NLI model is."""
    return bert_nli(tmp_path / "base")


def test_the_silver_examples_are_balanced_on_both_sides_of_the_split():
    """As many of each class, each with its transformation, and their first ones are as many of each, too."""
    examples = list(read_silver(SILVER))
    for held, number in ((False, 7900), (True, 365)):
        side = [silver for silver in examples if is_development(silver.group) == held]
        assert Counter(silver.label for silver in side) == dict.fromkeys(LABELS, number // 5)
    assert all(silver.transformation and silver.response for silver in examples)
    assert Counter(silver.label for silver in balanced(examples, 10)) == dict.fromkeys(LABELS, 2)


@pytest.mark.slow
def test_a_killed_training_goes_on_and_its_model_classifies(silver, base, tmp_path):
    """SIGKILL after a checkpoint costs what came after it; frozen layers stay to the last bit."""
    out = tmp_path / "out"
    out.mkdir()
    script = (
        "import sys; from pathlib import Path; from tests.lab.training.test_begin_training import SETTINGS;"
        "from lab.training.begin import train_on_silver; out, base, silver = map(Path, sys.argv[1:]);"
        "train_on_silver(out, base, SETTINGS, 40, silver)"
    )
    command = [sys.executable, "-c", script, str(out), str(base), str(silver)]
    process = subprocess.Popen(command, cwd=ROOT)
    run = out / "begin"
    first = run / "checkpoint-2" / "trainer_state.json"
    while not first.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() in {-signal.SIGKILL, 0}
    there = {p: p.stat().st_mtime_ns for p in run.glob("checkpoint-*/trainer_state.json")}
    assert not (run / "final").exists() or process.returncode == 0
    report = train_on_silver(out, base, SETTINGS, 40, silver)
    assert report["examples"] == 40
    assert 0 <= report["figures"]["silver_macro_f1"] <= 1
    kept = [p for p in there if p.exists()]
    assert all(p.stat().st_mtime_ns == there[p] for p in kept)
    final = run / "final"
    before, after = (load_file(folder / "model.safetensors") for folder in (base, final))
    frozen = [name for name in before if "embeddings" in name or "layer.0" in name]
    assert frozen
    assert all(before[name].equal(after[name]) for name in frozen)
    assert not all(before[n].equal(after[n]) for n in before if "layer.1" in n)
    model = ReplyClassifier(str(final), parameters=ClassificationParameters(max_tokens=64))
    assert len(model.classify([ReplyRequest("Bob paints.", "Who?", "Bob")])) == 1
