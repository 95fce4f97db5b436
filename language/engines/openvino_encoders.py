"""Encoders on OpenVINO: converted once from the loaded model, kept on disk, compiled for the CPU."""

from __future__ import annotations

import copy
import hashlib
import json
import logging
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from filelock import FileLock

from qsquared.language.checkpoints.checksums import sha256_of_file
from qsquared.language.engines.devices import cache_folder
from qsquared.language.engines.encoders import EncoderFacts, Logits, Pass, Rows, pad
from qsquared.language.engines.hidden_imports import import_openvino
from qsquared.language.engines.tokens import Tokens
from qsquared.profiles.model_parameters import Precision

if TYPE_CHECKING:
    from openvino import Model
    from transformers import PreTrainedModel

logger = logging.getLogger("qsquared")
openvino = import_openvino()

_GRAPH, _WEIGHTS, _READING, _SUMS = "model.xml", "model.bin", "reading.json", "sums.json"
_FORMAT = "2"
"""Raised whenever a conversion has other files."""
_LOCKS = ".locks"
_UNUSED_DAYS = 60
_LEVELS = 127
_SMALLEST = 1e-12
_GROUP = 64
"""Values of a token that share a scale in int8; with more of them near ties lie farther apart, and
fewer take longer."""
_TILE = 16
"""Tokens of a tile of AMX. Rows that fill their last tile with padding have equal outputs to the last bit in
every batch; else sums in bfloat16 have another order, and logits differ by up to a hundredth."""
_HEAD = 32
"""A linear layer with fewer outputs is a head."""
_EXAMPLE = ([[0] * 12] * 2, [[1] * 12, [1] * 9 + [0] * 3], [[0] * 5 + [1] * 7] * 2)
"""Token ids, mask and segments of two rows of unequal length, for which a model is traced."""


@dataclass(eq=False)
class ConvertedEncoder:
    """An encoder that OpenVINO compiles for its first pass, with a stream of one thread for each core.

    A row's outputs do not depend on the rows beside it: float32 has no scale, in bfloat16 rows fill
    whole tiles, and in int8 each token has scales of its own.

    Args:
        graph: the converted model.
        tokenizer: pads rows of unequal length.
        names: the names of the encoder's inputs, in the order of the graph's.
        precision: of the products.
        streams: batches at the same time.
    """

    graph: Model
    tokenizer: Any
    names: Sequence[str]
    precision: Precision
    streams: int

    def compile(self) -> None:
        """Compile the model, for which the first pass would else have to wait."""
        _ = self._free

    @cached_property
    def _free(self) -> list[Any]:
        settings = {
            "INFERENCE_PRECISION_HINT": "bf16" if self.precision == "bf16" else "f32",
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": str(_GROUP if self.precision == "int8" else 0),
            "NUM_STREAMS": str(self.streams),
            "INFERENCE_NUM_THREADS": str(self.streams),
            # Processes beside this one would be pinned to the same cores.
            "ENABLE_CPU_PINNING": "NO",
        }
        if self.precision == "bf16":
            # In bfloat16 attention is a fifth of a pass faster as products and softmax than as one kernel.
            settings["SNIPPETS_MODE"] = "DISABLE"
        graph = _in_int8(self.graph) if self.precision == "int8" else self.graph
        compiled = openvino.Core().compile_model(graph, "CPU", settings)
        # While a pass runs, the next one of its stream is made ready.
        return [compiled.create_infer_request() for _ in range(2 * self.streams)]

    def start(self, rows: Rows) -> Pass:
        """Begin a forward pass; at most twice ``streams`` are begun and not waited for."""
        # All calls come from one thread, and passes call nothing back: a thread that held Python's
        # lock while it waits for a pass that waits for the same lock would wait forever.
        padded = pad(self.tokenizer, rows, "np", _TILE if self.precision == "bf16" else 1)
        request = self._free.pop()
        request.start_async([padded[name] for name in self.names])

        def wait() -> tuple[Logits, ...]:
            try:
                request.wait()
                outputs = range(len(request.model_outputs))
                return tuple(request.get_output_tensor(i).data.copy() for i in outputs)
            finally:
                self._free.append(request)

        def drop() -> None:
            with suppress(RuntimeError):
                wait()

        return Pass(wait, drop)


def convert(model: PreTrainedModel, outputs: Sequence[str]) -> Model:
    """Return a transformers encoder as an OpenVINO graph over rows of any number and length.

    The model is copied first, as tracing leaves marks in it.
    The frontend is called itself: the package's own function to convert reports its use.
    """
    import torch
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    names = EncoderFacts.of(model.config).inputs

    class Positional(torch.nn.Module):
        """The model with its inputs and outputs by position."""

        def __init__(self, inner: torch.nn.Module) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
            named = self.inner(**dict(zip(names, inputs, strict=True)))
            return tuple(named[name] for name in outputs)

    example = tuple(torch.tensor(rows) for rows in _EXAMPLE[: len(names)])
    with warnings.catch_warnings():
        # Tracing warns of each comparison of lengths; those of an encoder hold for every length.
        warnings.simplefilter("ignore")
        traced = TorchScriptPythonDecoder(
            Positional(copy.deepcopy(model)).eval(), example_input=example
        )
    frontend = FrontEndManager().load_by_framework("pytorch")
    return frontend.convert(frontend.load(traced))


@dataclass(frozen=True, slots=True)
class Conversion:
    """A converted model with its configuration and tokenizer, so that transformers is not needed.

    ``tokens`` is ``None`` for a tokenizer that only transformers has.
    """

    graph: Model
    facts: EncoderFacts
    tokens: Tokens | None


def load_converted(identity: str, make: Callable[[], Conversion]) -> Conversion:
    """Return a conversion from the cache, where one that is missing or damaged is made anew.

    Args:
        identity: everything that decides it but the versions of the libraries.
        make: converts the model.
    """
    folder = cache_folder("converted") / _key(identity)
    if _is_sound(folder):
        return _read(folder)
    conversion: Conversion | None = None
    locks = folder.parent / _LOCKS
    try:
        locks.mkdir(parents=True, exist_ok=True)
        # Processes that start together wait for the one that converts.
        with FileLock(locks / folder.name):
            if _is_sound(folder):
                return _read(folder)
            conversion = make()
            _keep(conversion, folder)
    except OSError as error:
        logger.info("The converted model is not kept: %s", error)
    return conversion or make()


def _key(identity: str) -> str:
    libraries = ("openvino", "torch", "transformers", "tokenizers")
    lines = [identity, _FORMAT, *map(version, libraries)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


def _is_sound(folder: Path) -> bool:
    """Whether a conversion is there and its files are those that were written."""
    files = (_GRAPH, _WEIGHTS, _READING)
    try:
        sums = json.loads((folder / _SUMS).read_text(encoding="utf-8"))
        sound = all(sha256_of_file(folder / name) == sums[name] for name in files)
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if sound:
        with suppress(OSError):  # in a folder of somebody else's
            (folder / _SUMS).touch()
    return sound


def _read(folder: Path) -> Conversion:
    reading = json.loads((folder / _READING).read_text(encoding="utf-8"))
    facts, tokens = reading["facts"], reading["tokens"]
    return Conversion(
        openvino.Core().read_model(folder / _GRAPH),
        EncoderFacts(**facts | {"labels": tuple(facts["labels"])}),
        Tokens(**tokens) if tokens else None,
    )


def _keep(conversion: Conversion, folder: Path) -> None:
    """Write a conversion as a whole; those that were not used for long go."""
    unfinished = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    try:
        openvino.save_model(conversion.graph, unfinished / _GRAPH, compress_to_fp16=False)
        tokens = conversion.tokens.to_json() if conversion.tokens else None
        reading = {"facts": asdict(conversion.facts), "tokens": tokens}
        (unfinished / _READING).write_text(json.dumps(reading), encoding="utf-8")
        sums = {name: sha256_of_file(unfinished / name) for name in (_GRAPH, _WEIGHTS, _READING)}
        (unfinished / _SUMS).write_text(json.dumps(sums), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    oldest = time.time() - _UNUSED_DAYS * 24 * 3600
    for other in folder.parent.iterdir():
        used = other / _SUMS if (other / _SUMS).exists() else other
        if other.name != _LOCKS and used.stat().st_mtime < oldest:
            shutil.rmtree(other, ignore_errors=True)


def _in_int8(graph: Model) -> Model:
    """Return a copy whose weights of linear layers are int8, one scale for each output."""
    import openvino.opset15 as operations

    lower = graph.clone()
    for node in lower.get_ops():
        if node.get_type_name() != "MatMul":
            continue
        constant = node.input_value(1).get_node()
        if constant.get_type_name() != "Constant" or len(constant.shape) != 2:
            continue
        weight = constant.data.astype(np.float32)
        if not node.get_attributes()["transpose_b"]:
            weight = weight.T
        if len(weight) < _HEAD:
            continue  # a head, which decides near ties
        scale = np.maximum(np.abs(weight).max(axis=1, keepdims=True), _SMALLEST) / _LEVELS
        rows = operations.constant(np.round(weight / scale).astype(np.int8))
        restored = operations.multiply(operations.convert(rows, "f32"), operations.constant(scale))
        product = operations.matmul(node.input_value(0), restored, False, True)
        node.output(0).replace(product.output(0))
    return lower
