"""Base of the neural models: one lazy, thread-safe load, an identity, and batches by length."""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from qsquared.errors import ModelError
from qsquared.language.checkpoints.registry import check_before_loading, identity, locate
from qsquared.language.checkpoints.weights import load_encoder, load_tokenizer
from qsquared.language.engines.devices import Arithmetic, check_device, choose_arithmetic, cores
from qsquared.language.engines.encoders import (
    Encoder,
    EncoderFacts,
    Loaded,
    Logits,
    Pass,
    Rows,
    TorchEncoder,
)
from qsquared.language.neural.batches import RowCounter, ShrinkingBatch, keep_freed_memory
from qsquared.profiles.model_parameters import Engine, Precision, PrecisionChoice

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class WindowParameters(Protocol):
    """The parameters of a model in a profile, as far as every model reads them."""

    @property
    def max_tokens(self) -> int:
        """The window, in tokens."""

    def model_dump_json(self) -> str:
        """Return all parameters as JSON."""


Output = TypeVar("Output")
Parameters = TypeVar("Parameters", bound=WindowParameters)


_computation = attrgetter("checkpoint", "revision", "auto_class", "device", "_wanted")


class NeuralModel(ABC, Generic[Parameters]):
    """A checkpoint that is loaded when it is first used.

    One call at a time goes through a model: the tokenizers are not safe in several threads, and one
    forward pass uses all the cores that torch was given.

    Args:
        checkpoint: as in a profile.
        revision: commit of a hub checkpoint.
        parameters: everything but the checkpoint that can change an output; else the defaults.
        batch_size: rows a forward pass, halved where they do not fit in memory; never changes a
            result.
        device: a torch device; never part of the identity.
        precision: of the linear layers; ``auto`` as in `choose_arithmetic`.
        engine: likewise; both are part of the identity as they are chosen.
    """

    defaults: Parameters
    """The parameters of a model that is given none."""
    implementation = ""
    version = 1
    """Raised whenever the code would give other outputs."""
    alike = 0.75
    """A row that is shorter than this share of a batch's longest row waits for another batch."""
    logit_names: tuple[str, ...] = ()
    """The names of an encoder's outputs; a model without any runs on torch alone."""
    settles_ties = False
    """Whether near ties of a lower precision are settled in float32, whose weights then stay."""

    def __init__(
        self,
        checkpoint: str,
        revision: str = "",
        parameters: Parameters | None = None,
        batch_size: int = 16,
        device: str = "cpu",
        precision: PrecisionChoice = "fp32",
        engine: Engine = "auto",
    ) -> None:
        self.checkpoint = checkpoint
        self.revision = revision
        self.batch = ShrinkingBatch(f"The model {checkpoint} ({self.implementation})", batch_size)
        self.device = device
        self._wanted: tuple[Engine, PrecisionChoice] = engine, precision
        self.parameters: Parameters = parameters or self.defaults
        self._lock = threading.RLock()
        self._loaded: Loaded | None = None

    @property
    @abstractmethod
    def auto_class(self) -> str:
        """The name of the transformers class of the task."""

    @property
    def name(self) -> str:
        """The model's name in error messages."""
        return self.checkpoint

    @cached_property
    def arithmetic(self) -> Arithmetic:
        """The engine and precision that this machine takes.

        Raises:
            ModelError: the profile asks for an engine that cannot run the model here.
        """
        return choose_arithmetic(*self._wanted, self.device, convertible=bool(self.logit_names))

    @property
    def identity(self) -> str:
        """Implementation, weights, parameters and arithmetic; found without loading the model.

        Raises:
            ModelError: the checkpoint is not there.
        """
        parameters = self.parameters.model_dump_json()
        return f"{self.implementation}/{self.version} {self._weights} {parameters} {self.arithmetic.mark}"

    @property
    def _weights(self) -> str:
        return identity(self.checkpoint, self.revision)

    def computes_as(self, other: NeuralModel[Any]) -> bool:
        """Whether another model has the same weights, outputs, arithmetic and device."""
        return _computation(self) == _computation(other)

    def load(self) -> Loaded:
        """Return the model and its tokenizer, loaded once.

        Raises:
            ModelError: the checkpoint is missing, damaged, or not made for this role, or its
                precision not for this machine.
            UsageError: the device is not there.
        """
        with self._lock:
            if self._loaded is None:
                folder = locate(self.checkpoint, self.revision)
                check_before_loading(self.checkpoint, folder, self.revision)
                converted = self.arithmetic.engine == "openvino"
                loaded = self._convert(folder) if converted else self._load(folder)
                self._check(loaded)
                self._loaded = loaded
            return self._loaded

    def _read_weights(self, folder: Path) -> PreTrainedModel:
        """Read the weights into the transformers class of the task, which takes seconds to import."""
        import transformers

        return load_encoder(getattr(transformers, self.auto_class), folder)

    def _load(self, folder: Path) -> Loaded:
        """Load the model on torch."""
        check_device(self.device)
        if self.device == "cpu":
            keep_freed_memory()
        loading: Any = self._read_weights(folder)
        tokenizer = load_tokenizer(folder)
        model: PreTrainedModel = loading.to(self.device)
        exact = run = TorchEncoder(model, tokenizer, self.logit_names, self.device)
        if self.arithmetic.precision == "bf16":
            from qsquared.language.engines.linear_layers import in_bf16

            model = in_bf16(model)
            run = TorchEncoder(model, tokenizer, self.logit_names, self.device)
        exact = exact if self.settles_ties else run
        return Loaded(EncoderFacts.of(model.config), tokenizer, run, exact, model)

    def _convert(self, folder: Path) -> Loaded:
        """Load the model on OpenVINO, converted unless this machine has converted it before.

        A conversion needs neither torch nor transformers, which take seconds to import.
        """
        from qsquared.language.engines.openvino_encoders import (
            Conversion,
            ConvertedEncoder,
            convert,
            load_converted,
        )
        from qsquared.language.engines.tokens import Tokens

        def make() -> Conversion:
            model = self._read_weights(folder)
            tokens = Tokens.like(load_tokenizer(folder))
            return Conversion(
                convert(model, self.logit_names), EncoderFacts.of(model.config), tokens
            )

        conversion = load_converted(f"{self.auto_class} {self._weights}", make)
        tokenizer, facts = conversion.tokens or load_tokenizer(folder), conversion.facts
        streams = cores()

        def encoder(precision: Precision) -> ConvertedEncoder:
            return ConvertedEncoder(conversion.graph, tokenizer, facts.inputs, precision, streams)

        precision = self.arithmetic.precision
        run = encoder(precision)
        run.compile()
        exact = encoder("fp32") if self.settles_ties and precision != "fp32" else run
        return Loaded(facts, tokenizer, run, exact)

    def _tokens(self, *texts: str | None, special: bool = True) -> int:
        """Return the number of tokens of a text or two, with or without those that join them."""
        tokenizer = self.load().tokenizer
        return len(tokenizer(*texts, add_special_tokens=special, verbose=False)["input_ids"])

    def _check(self, loaded: Loaded) -> None:
        """Refuse a checkpoint that loads but cannot play the role."""

    def _in_batches(
        self, lengths: Sequence[int], forward: Callable[[Sequence[int]], Sequence[Output]]
    ) -> list[Output]:
        """Return each row's output, in order; computed in batches of like length, longest first.

        Args:
            lengths: tokens of each row.
            forward: one pass; gives one output for each index that it is given.

        Raises:
            MemoryError: a single row does not fit.
        """
        counter, outputs = RowCounter(len(lengths)), dict[int, Output]()
        for batch in self._batches(lengths):
            outputs.update(counter.counted(self.batch.run(batch, forward)))
        return [outputs[index] for index in range(len(lengths))]

    def _encode_in_batches(
        self,
        encoder: Encoder,
        encoded: Rows,
        read: Callable[[Sequence[int], tuple[Logits, ...]], Sequence[Output]],
    ) -> list[Output]:
        """Return as `_in_batches` does, with passes that go on while others are made ready and read.

        Args:
            encoder: begins the passes.
            encoded: the encoder's inputs for all rows.
            read: gives one output for each index from the encoder's outputs.

        Raises:
            MemoryError: a single row does not fit.
        """
        lengths = [len(ids) for ids in encoded["input_ids"]]
        begun: deque[tuple[list[int], Pass]] = deque()
        counter, results = RowCounter(len(lengths)), dict[int, Output]()

        def start(indices: Sequence[int]) -> Pass:
            rows = {name: [column[i] for i in indices] for name, column in encoded.items()}
            return encoder.start(rows)

        def finish() -> None:
            batch, first = begun.popleft()

            def forward(indices: Sequence[int]) -> Sequence[Output]:
                whole = len(indices) == len(batch)
                return read(indices, (first if whole else start(indices)).wait())

            results.update(counter.counted(self.batch.run(batch, forward)))

        try:
            for batch in self._batches(lengths, encoder.streams):
                begun.append((batch, start(batch)))
                if len(begun) > encoder.streams:
                    finish()
            while begun:
                finish()
        finally:
            for _, unread in begun:  # after an error
                unread.drop()
        return [results[index] for index in range(len(lengths))]

    def _batches(self, lengths: Sequence[int], streams: int = 1) -> list[list[int]]:
        """Return the indices of all rows, in batches of like length; few rows have a part for each stream."""
        size = min(self.batch.size, math.ceil(len(lengths) / streams))
        batches: list[list[int]] = []
        for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
            batch = batches[-1] if batches else []
            full = len(batch) == size
            if not batch or full or lengths[index] < self.alike * lengths[batch[0]]:
                batches.append([])
            batches[-1].append(index)
        return batches

    def _non_finite(self) -> ModelError:
        return ModelError(
            f"The model {self.checkpoint} gave an output that is not a finite number.",
            "Check its files with `q2 models verify`; if they are sound, this input breaks it.",
        )
