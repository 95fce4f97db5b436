"""Tests of encoders on OpenVINO: equal logits, the cache of conversions, and independence of neighbours."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qsquared.language.engines import openvino_encoders
from qsquared.language.engines.devices import CACHE
from qsquared.language.engines.encoders import EncoderFacts
from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.language.judging.nli import NliJudge
from qsquared.profiles.model_parameters import EntailmentParameters, ReadingParameters
from qsquared.records import InferenceRequest, ReadingRequest
from tests.language.tiny_models import (
    albert_qa,
    bert_nli,
    bert_qa,
    deberta_nli,
    deberta_qa,
    roberta_nli,
)

READING = ReadingParameters(max_tokens=48, stride=12)
JUDGING = EntailmentParameters(max_tokens=48)
TEXTS = [
    "John wrote the long book in Paris in 1990.",
    "Mary sang.",
    "The capital of Italy is Rome, and the capital of France is Paris. " * 6,
]
REQUESTS = [
    ReadingRequest(question, text)
    for question in ("Who wrote the book?", "What is the capital of Italy?")
    for text in TEXTS
]
PAIRS = [InferenceRequest(text, "John wrote the book.") for text in TEXTS]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of conversions."""
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "converted"


def kept(cache: Path) -> list[Path]:
    """Return the conversions of a cache."""
    return [path for path in cache.iterdir() if path.name != ".locks"]


@pytest.mark.parametrize(
    "make", [bert_qa, albert_qa, deberta_qa], ids=["bert", "albert", "deberta"]
)
def test_a_converted_reader_answers_as_torch_does(make: Any, tmp_path: Path) -> None:
    """Texts of one window and of several, of any length, have the same answers and scores."""
    folder = str(make(tmp_path / "model"))
    plain, other = (
        ExtractiveAnswers(folder, parameters=READING, engine=engine).answer(REQUESTS)
        for engine in ("torch", "openvino")
    )
    for one, two in zip(plain, other, strict=True):
        assert (one.text, one.start, one.windows) == (two.text, two.start, two.windows)
        assert one.score == pytest.approx(two.score, abs=1e-4)


@pytest.mark.parametrize(
    "make", [bert_nli, roberta_nli, deberta_nli], ids=["bert", "roberta", "deberta"]
)
def test_a_converted_judge_judges_as_torch_does(make: Any, tmp_path: Path) -> None:
    """The probabilities are equal within rounding."""
    folder = str(make(tmp_path / "model"))
    plain, other = (
        NliJudge(folder, parameters=JUDGING, engine=engine).judge(PAIRS)
        for engine in ("torch", "openvino")
    )
    for one, two in zip(plain, other, strict=True):
        assert one.entailment == pytest.approx(two.entailment, abs=1e-5)
        assert one.contradiction == pytest.approx(two.contradiction, abs=1e-5)


@pytest.mark.parametrize("kind", ["fp32", "bf16", "int8"])
def test_neighbours_change_no_answer(kind: Any, tmp_path: Path) -> None:
    """Batches of 1, 7 and 64 rows give the same answers."""
    folder = str(bert_qa(tmp_path / "model"))
    found = [
        ExtractiveAnswers(
            folder, parameters=READING, batch_size=size, precision=kind, engine="openvino"
        ).answer(REQUESTS)
        for size in (1, 7, 64)
    ]
    decided = [[(answer.text, answer.start) for answer in answers] for answers in found]
    assert decided[0] == decided[1] == decided[2]


def test_the_shipped_judge_in_bfloat16_is_equal_to_the_last_bit_in_every_batch() -> None:
    """So a reply has the same score whatever it is scored with."""
    judge = NliJudge("bundled:compact-nli", precision="bf16", engine="openvino")
    text = "The pool opens at ten on weekdays and closes at eight, and children pay half of it"
    words = text.split()
    pairs = [
        (" ".join(words[:end]), " ".join(words[begin:]))
        for end in (4, 9, 17)
        for begin in range(15)
    ]
    together = judge.shares(pairs)
    judge.forget()
    alone = {pair: judge.shares([pair])[pair] for pair in pairs}
    assert together == alone


def test_int8_has_other_logits_than_float32(tmp_path: Path) -> None:
    """Weights and tokens are really rounded, and what comes out is alike."""
    folder = str(bert_qa(tmp_path / "model"))
    whole, rounded = (
        ExtractiveAnswers(folder, parameters=READING, precision=kind, engine="openvino").load().run
        for kind in ("fp32", "int8")
    )
    rows = {
        "input_ids": [[2, 7, 9, 3, 8, 8, 3]],
        "attention_mask": [[1] * 7],
        "token_type_ids": [[0] * 4 + [1] * 3],
    }
    one, other = whole.start(rows).wait()[0], rounded.start(rows).wait()[0]
    assert np.abs(one - other).max() > 0
    assert np.corrcoef(one[0], other[0])[0, 1] > 0.9


def test_a_conversion_is_made_once(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second process finds it on disk and loads no weights of torch's."""
    folder = str(bert_qa(tmp_path / "model"))
    first = ExtractiveAnswers(folder, parameters=READING, engine="openvino").answer(REQUESTS)
    assert len(kept(cache)) == 1
    monkeypatch.setattr(openvino_encoders, "convert", lambda *_: pytest.fail("converted again"))
    again = ExtractiveAnswers(folder, parameters=READING, engine="openvino").answer(REQUESTS)
    assert again == first


@pytest.mark.sampled(3)
@pytest.mark.parametrize("damage", ["cut", "gone", "no list"])
def test_a_damaged_conversion_is_made_anew(cache: Path, tmp_path: Path, damage: str) -> None:
    """A file that is cut or missing, or a list of hashes that cannot be read, costs one conversion."""
    folder = str(bert_qa(tmp_path / "model"))
    first = ExtractiveAnswers(folder, parameters=READING, engine="openvino").answer(REQUESTS)
    (made,) = kept(cache)
    if damage == "cut":
        (made / "model.bin").write_bytes((made / "model.bin").read_bytes()[:100])
    elif damage == "gone":
        (made / "model.xml").unlink()
    else:
        (made / "sums.json").write_text("[")
    again = ExtractiveAnswers(folder, parameters=READING, engine="openvino").answer(REQUESTS)
    assert again == first
    assert openvino_encoders._is_sound(made)
    assert kept(cache) == [made]


def test_processes_that_start_together_convert_once(cache: Path, tmp_path: Path) -> None:
    """The others wait and read what the first has written."""
    folder = str(bert_qa(tmp_path / "model"))
    made, graphs = [], []

    def make() -> openvino_encoders.Conversion:
        made.append(1)
        time.sleep(0.3)
        model = ExtractiveAnswers(folder, parameters=READING, engine="torch").load().model
        graph = openvino_encoders.convert(model, ("start_logits", "end_logits"))
        return openvino_encoders.Conversion(graph, EncoderFacts.of(model.config), None)

    threads = [
        threading.Thread(
            target=lambda: graphs.append(openvino_encoders.load_converted("same", make))
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), len(graphs)) == (1, 3)


@pytest.mark.slow
def test_other_weights_have_a_conversion_of_their_own(cache: Path, tmp_path: Path) -> None:
    """Checkpoints never share a file."""
    for seed in (1, 2):
        folder = str(bert_qa(tmp_path / f"qa-{seed}", seed=seed))
        ExtractiveAnswers(folder, parameters=READING, engine="openvino").load()
    NliJudge(str(bert_nli(tmp_path / "nli")), parameters=JUDGING, engine="openvino").load()
    assert len(kept(cache)) == 3


def test_a_conversion_that_nobody_used_for_long_goes(cache: Path, tmp_path: Path) -> None:
    """Old versions do not pile up."""
    ExtractiveAnswers(str(bert_qa(tmp_path / "a")), parameters=READING, engine="openvino").load()
    (old,) = kept(cache)
    long_ago = time.time() - 100 * 24 * 3600
    os.utime(old / "sums.json", (long_ago, long_ago))
    NliJudge(str(bert_nli(tmp_path / "b")), parameters=JUDGING, engine="openvino").load()
    assert not old.exists()


def test_a_cache_that_cannot_be_written_costs_the_conversion_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is converted in memory and answers."""
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv(CACHE, str(tmp_path / "file"))
    reader = ExtractiveAnswers(str(bert_qa(tmp_path / "a")), parameters=READING, engine="openvino")
    assert len(reader.answer(REQUESTS)) == len(REQUESTS)


_SECOND = """
import sys
from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.profiles.model_parameters import ReadingParameters
from qsquared.records import ReadingRequest
reading = ReadingParameters(max_tokens=48, stride=12)
reader = ExtractiveAnswers(sys.argv[1], parameters=reading, engine="openvino")
found = reader.answer([ReadingRequest("Who wrote the book?", "John wrote the long book in Paris.")])
print(len(found), sorted({"torch", "transformers"} & sys.modules.keys()))
"""


def test_a_converted_model_needs_neither_torch_nor_transformers(
    cache: Path, tmp_path: Path
) -> None:
    """A process that finds the conversion imports neither, as that would take seconds."""
    folder = str(bert_qa(tmp_path / "model"))
    ExtractiveAnswers(folder, parameters=READING, engine="openvino").load()
    done = subprocess.run(
        [sys.executable, "-c", _SECOND, folder], capture_output=True, text=True, check=True
    )
    assert (done.stdout.strip(), len(kept(cache))) == ("1 []", 1)


def test_near_ties_have_an_encoder_of_their_own_once_there_are_any(tmp_path: Path) -> None:
    """The encoder in float32 is compiled for its first pass, which few replies may never need."""
    reader = ExtractiveAnswers(
        str(bert_qa(tmp_path / "a")), parameters=READING, precision="bf16", engine="openvino"
    )
    loaded = reader.load()
    assert "_free" in vars(loaded.run)
    assert "_free" not in vars(loaded.exact)


_LISTENED = """
import sys
asked = []
def hear(event, arguments):
    if event in ("socket.getaddrinfo", "socket.connect", "socket.gethostbyname"):
        asked.append(arguments)
sys.addaudithook(hear)
from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.language.engines.devices import choose_arithmetic
from qsquared.profiles.model_parameters import ReadingParameters
choose_arithmetic("openvino", "auto", "cpu", convertible=True)
reading = ReadingParameters(max_tokens=48, stride=12)
ExtractiveAnswers(sys.argv[1], parameters=reading, engine="openvino").load()
import openvino
print(asked, sorted(name for name in sys.modules if name.startswith("openvino_telemetry")))
"""


@pytest.mark.slow
def test_openvino_reports_to_nobody(tmp_path: Path) -> None:
    """Its import, a look at the processor and a conversion ask for no address and load no telemetry."""
    done = subprocess.run(
        [sys.executable, "-c", _LISTENED, str(bert_qa(tmp_path / "a"))],
        env={**os.environ, "CI": "", CACHE: str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[] []"


def test_the_requests_of_a_failed_call_are_free_again(tmp_path: Path) -> None:
    """After an output that is not a number the encoder works on."""
    reader = ExtractiveAnswers(
        str(bert_qa(tmp_path / "a")), parameters=READING, batch_size=1, engine="openvino"
    )
    whole = reader.answer(REQUESTS)
    encoder = reader.load().run
    for _ in range(5):
        with pytest.raises(ZeroDivisionError):
            reader._encode_in_batches(
                encoder,
                {
                    "input_ids": [[2] * 7] * 4,
                    "attention_mask": [[1] * 7] * 4,
                    "token_type_ids": [[0] * 7] * 4,
                },
                lambda _batch, _outputs: [1 // 0],
            )
    assert reader.answer(REQUESTS) == whole


def test_a_cut_folder_of_another_process_is_no_conversion(cache: Path, tmp_path: Path) -> None:
    """Files that a killed process left half-written are not taken for a conversion."""
    folder = str(bert_qa(tmp_path / "model"))
    ExtractiveAnswers(folder, parameters=READING, engine="openvino").load()
    (made,) = kept(cache)
    shutil.copytree(made, cache / ".making-killed")
    shutil.rmtree(made)
    ExtractiveAnswers(folder, parameters=READING, engine="openvino").load()
    assert openvino_encoders._is_sound(made)
