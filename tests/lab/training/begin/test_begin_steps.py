"""The steps of training a classifier of replies: examples, a kill."""

import signal
import subprocess
import sys
import time

import pytest
from safetensors.torch import load_file

from lab.training.begin import steps
from lab.training.begin.corpus import Exchange, from_readings
from lab.training.begin.steps import (
    balanced,
    fit_step,
    read_silver,
    silver_files,
    silver_step,
)
from lab.training.encoders.fit import Settings
from lab.training.examples.statements import Frame
from lab.training.sources.reading import Reading, is_development
from qsquared.language.judging.reply_classes import ReplyClassifier
from qsquared.profiles.parameters import ClassificationParameters
from qsquared.records import ReplyRequest
from tests.conftest import ROOT
from tests.language.tiny_models import bert_nli

pytestmark = pytest.mark.slow

SETTINGS = Settings(epochs=2.0, batch=4, threads=1, bf16=False, save_steps=2, frozen_layers=1)
CITIES = ("Rome", "Paris", "Oslo", "Lima", "Cairo", "Perth", "Turin", "Quito")


def exchanges():
    """Exchanges on topics of both sides of the split."""
    topics = [f"topic {i}" for i in range(60)]
    held = [topic for topic in topics if is_development(f"made/{topic}")][:2]
    topics = [topic for topic in topics if not is_development(f"made/{topic}")][:4] + held
    return [
        Exchange(
            f"made/{i}",
            topics[i % len(topics)],
            f"made/{topics[i % len(topics)]}",
            f"{name} visited the old city of {CITIES[i % 8]} in {1900 + i}.",
            "Who visited the city?",
            f"Yes, {name} visited the old city of {CITIES[i % 8]}.",
        )
        for i, name in enumerate(["Mary", "John", "Anna", "Peter", "Ruth"] * 24)
    ]


@pytest.fixture(scope="module")
def make_few(tmp_path_factory):
    """A function that makes a few examples of small exchanges in a folder."""
    folder = tmp_path_factory.mktemp("begin")
    words = folder / "wordnet"
    words.mkdir()
    (words / "data.adj").write_text("1 00 a 01 old 0 001 ! 2 a 0101 | x\n2 00 a 01 new 0 000 | x\n")
    (words / "index.adj").write_text("old a 1 1 ! 1 1 1\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps, "_exchanges", lambda _data: exchanges())
        patch.setattr(steps, "fetch_wordnet", lambda _folder: words)
        yield lambda out: silver_step(folder, out, each=10)


@pytest.fixture
def base(tmp_path):
    """A tiny classifier of three classes, as an NLI model is."""
    return bert_nli(tmp_path / "base")


def test_readings_stand_in_for_a_corpus():
    """Questions that can be stated are exchanges; unanswerable ones are not."""
    readings = [
        Reading("squad/Tea", "Who drank tea?", "Monks drank tea. It was hot.", ("Monks",)),
        Reading("squad/Tea", "Who sold tea?", "Monks drank tea.", ()),
    ]
    frame = Frame("", "drank tea", "", wants_preposition=False, subject="")
    (found,) = from_readings(readings, lambda _question: frame, 1)
    assert found.answer == "Monks"
    assert found.plain in {"Monks drank tea.", "Monks drank tea"}
    assert (found.group, found.evidence[:16]) == ("squad/Tea", "Monks drank tea.")


def test_silver_files_keep_topics_apart_and_are_made_once(make_few, tmp_path):
    """A second request finds them; each line says how it came about."""
    make_few(tmp_path)
    files = silver_files(tmp_path)
    train, held = map(read_silver, files)
    assert train
    assert held
    assert not {s.group for s in train} & {s.group for s in held}
    assert all(silver.transformation for silver in train)
    written = [path.stat().st_mtime_ns for path in files]
    make_few(tmp_path)
    assert [path.stat().st_mtime_ns for path in files] == written
    few = balanced(train, 10)
    assert sorted(s.label for s in few) == sorted(
        2 * ["entailment", "hallucination", "off-topic", "generic", "contradiction"]
    )


def test_a_killed_training_goes_on_and_its_model_classifies(make_few, base, tmp_path):
    """SIGKILL after a checkpoint costs what came after it; frozen layers stay to the last bit."""
    out = tmp_path / "out"
    make_few(out)
    script = (
        "import sys; from pathlib import Path; from tests.lab.training.begin.test_begin_steps import SETTINGS;"
        "from lab.training.begin.steps import fit_step; fit_step(*map(Path, sys.argv[1:]), SETTINGS, 40)"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(out), str(base)], cwd=ROOT)
    run = out / "begin"
    first = run / "checkpoint-2" / "trainer_state.json"
    while not first.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() in {-signal.SIGKILL, 0}
    there = {p: p.stat().st_mtime_ns for p in run.glob("checkpoint-*/trainer_state.json")}
    assert not (run / "final").exists() or process.returncode == 0
    report = fit_step(out, base, SETTINGS, 40)
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
