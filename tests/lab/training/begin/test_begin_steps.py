"""The steps of training a classifier of replies: corpora, receipts, a kill, the flow's own order."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file
from transformers import GPT2Config, GPT2LMHeadModel

from lab.training.begin.corpus import from_readings, read_corpus
from lab.training.begin.generator import ModelReplies
from lab.training.begin.steps import (
    SilverRequest,
    balanced,
    fit_step,
    once,
    read_silver,
    silver_step,
)
from lab.training.encoders.fit import Settings
from lab.training.examples.statements import Frame
from lab.training.sources.reading import Reading, is_development
from qsquared.errors import InputError
from qsquared.language.checkpoints.weights import load_tokenizer
from qsquared.language.judging.reply_classes import ReplyClassifier
from qsquared.profiles.parameters import ClassificationParameters
from qsquared.records import ReplyRequest
from tests.conftest import ROOT
from tests.language.tiny_models import bert_nli, t5_qg

pytestmark = pytest.mark.slow

SETTINGS = Settings(epochs=2.0, batch=4, threads=1, bf16=False, save_steps=2, frozen_layers=1)
CITIES = ("Rome", "Paris", "Oslo", "Lima", "Cairo", "Perth", "Turin", "Quito")


def write_corpus(path):
    """Exchanges on topics of both sides of the split."""
    topics = [f"topic {i}" for i in range(60)]
    held = [topic for topic in topics if is_development(f"jsonl/{topic}")][:2]
    topics = [topic for topic in topics if not is_development(f"jsonl/{topic}")][:4] + held
    rows = [
        {
            "evidence": f"{name} visited the old city of {CITIES[i % 8]} in {1900 + i}.",
            "previous": "Who visited the city?",
            "response": f"Yes, {name} visited the old city of {CITIES[i % 8]}.",
            "topic": topics[i % len(topics)],
        }
        for i, name in enumerate(["Mary", "John", "Anna", "Peter", "Ruth"] * 24)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="module")
def request_(tmp_path_factory):
    """A request for a few examples of a small corpus, made once."""
    folder = tmp_path_factory.mktemp("begin")
    write_corpus(folder / "corpus.jsonl")
    words = folder / "wordnet"
    words.mkdir()
    (words / "data.adj").write_text("1 00 a 01 old 0 001 ! 2 a 0101 | x\n2 00 a 01 new 0 000 | x\n")
    (words / "index.adj").write_text("old a 1 1 ! 1 1 1\n")
    made = SilverRequest(
        "", str(folder / "out"), str(folder / "corpus.jsonl"), str(words), each=10, seed=1
    )
    silver_step(made)
    return made


@pytest.fixture
def base(tmp_path):
    """A tiny classifier of three classes, as an NLI model is."""
    return bert_nli(tmp_path / "base")


def test_wizards_turns_with_a_checked_sentence_are_exchanges(tmp_path):
    """With the apprentice's words before them; a wizard who opens or checks nothing gives none."""
    known = {"chosen": "Tea is old."}
    dialog = [
        {"speaker": "0_Wizard", "text": "Hello", "checked_sentence": known},
        {"speaker": "1_Apprentice", "text": "Tell me of tea"},
        {"speaker": "0_Wizard", "text": "It is old.", "checked_sentence": known},
        {"speaker": "1_Apprentice", "text": "More?"},
        {"speaker": "0_Wizard", "text": "No", "checked_sentence": {"no": "no_passages_used"}},
    ]
    path = tmp_path / "train.json"
    path.write_text(json.dumps([{"chosen_topic": "Tea", "dialog": dialog}]), encoding="utf-8")
    (found,) = read_corpus(path)
    assert (found.evidence, found.previous, found.response, found.topic) == (
        "Tea is old.", "Tell me of tea", "It is old.", "Tea",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.jsonl", '{"evidence": "x"}\n', "line 1 is not an exchange"),
        ("a.json", "{}", "is not a list of dialogues"),
        ("a.json", "no json", "is not JSON"),
    ],
)
def test_a_file_that_is_no_corpus_is_refused(tmp_path, name, text, told):
    """The sentence names file and line."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_corpus(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read"):
        read_corpus(tmp_path / "nowhere.json")


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


def test_silver_files_keep_topics_apart_and_are_made_once(request_):
    """A second request finds them; each line says how it came about."""
    train, held = (read_silver(path) for path in request_.files)
    assert train
    assert held
    assert not {s.group for s in train} & {s.group for s in held}
    assert all(silver.transformation for silver in train)
    written = [path.stat().st_mtime_ns for path in request_.files]
    silver_step(request_)
    assert [path.stat().st_mtime_ns for path in request_.files] == written
    few = balanced(train, 10)
    assert sorted(s.label for s in few) == sorted(
        2 * ["entailment", "hallucination", "off-topic", "generic", "contradiction"]
    )


def test_a_step_runs_again_when_its_file_or_its_key_changed(tmp_path):
    """And not before."""
    out, receipt, runs = tmp_path / "out", tmp_path / "receipt.json", []

    def run():
        runs.append(1)
        out.write_text("made")
        return {"told": len(runs)}

    for key in ({"a": 1}, {"a": 1}, {"a": 2}):
        found = once(receipt, key, [out], run)
    assert (len(runs), found["told"]) == (2, 2)
    out.write_text("changed")
    once(receipt, {"a": 2}, [out], run)
    assert len(runs) == 3


def test_a_killed_training_goes_on_and_its_model_classifies(request_, base, tmp_path):
    """SIGKILL after a checkpoint costs what came after it; frozen layers stay to the last bit."""
    request = replace(request_, out=str(tmp_path / "out"))
    silver_step(request)
    script = (
        "import sys; from pathlib import Path; from tests.lab.training.begin.test_begin_steps import SETTINGS;"
        "from lab.training.begin.steps import SilverRequest, fit_step;"
        "fit_step(SilverRequest(*sys.argv[2:7], each=10, seed=1), Path(sys.argv[1]), 'm', SETTINGS, 40)"
    )
    given = (request.data, request.out, request.corpus, request.wordnet, request.generator)
    process = subprocess.Popen([sys.executable, "-c", script, str(base), *given], cwd=ROOT)
    first = tmp_path / "out" / "m" / "checkpoint-2" / "trainer_state.json"
    while not first.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() in {-signal.SIGKILL, 0}
    there = {p: p.stat().st_mtime_ns for p in (tmp_path / "out" / "m").glob("checkpoint-*/*.json")}
    assert not (tmp_path / "out" / "m" / "final").exists() or process.returncode == 0
    receipt = fit_step(request, base, "m", SETTINGS, 40)
    assert receipt["examples"] == 40
    assert 0 <= receipt["figures"]["silver_macro_f1"] <= 1
    kept = [p for p in there if p.exists()]
    assert all(p.stat().st_mtime_ns == there[p] for p in kept)
    final = tmp_path / "out" / "m" / "final"
    before, after = (load_file(folder / "model.safetensors") for folder in (base, final))
    frozen = [name for name in before if "embeddings" in name or "layer.0" in name]
    assert frozen
    assert all(before[name].equal(after[name]) for name in frozen)
    assert not all(before[n].equal(after[n]) for n in before if "layer.1" in n)
    model = ReplyClassifier(str(final), parameters=ClassificationParameters(max_tokens=64))
    assert len(model.classify([ReplyRequest("Bob paints.", "Who?", "Bob")])) == 1


def test_a_generator_is_a_checkpoint(tmp_path):
    """Its replies are the same under a seed."""
    folder = str(t5_qg(tmp_path))
    said = [ModelReplies(folder, 3).answer("the river is long", "what is it") for _ in range(2)]
    assert said[0] == said[1]
    assert isinstance(ModelReplies(folder, 3).generic("", "what is it"), str)


def test_a_decoder_gives_its_reply_without_what_it_read(tmp_path):
    """As the paper's GPT-2, which reads the evidence and the turn before."""
    texts = load_tokenizer(t5_qg(tmp_path / "t5"))
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(texts), n_positions=128, n_embd=16, n_layer=1, n_head=2, eos_token_id=1
    )
    folder = tmp_path / "gpt2"
    GPT2LMHeadModel(config).save_pretrained(folder)
    texts.save_pretrained(folder)
    generator = ModelReplies(str(folder), 3)
    said = generator.answer("the river is long", "what is it")
    assert not said.startswith("the river is long")
    assert said == ModelReplies(str(folder), 3).answer("the river is long", "what is it")
