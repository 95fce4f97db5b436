"""The paper's architectures with random weights, which cost the same as trained ones.

The checkpoints are written once and loaded as any local checkpoint is.
All use the tokenizer of the shipped reader, whose vocabulary is of the same size, so texts have the
lengths that they would have.
"""

import shutil
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from qsquared.language.engines.encoders import Loaded
from qsquared.language.extractive_qa import ExtractiveAnswers
from qsquared.language.judging.nli import NliJudge
from qsquared.language.questions.question_generation import T5Questions
from qsquared.profiles.parameters import (
    BeamParameters,
    Engine,
    EntailmentParameters,
    Precision,
    ReadingParameters,
)
from qsquared.records import ReadingRequest

_PROMPTS = 32
"""Prompts a batch, as in the pipeline on a CPU."""
QUESTION_TOKENS = 14
"""Every beam is forced to this length, that of a question such as T5 makes."""

_TOKENIZER = Path(__file__).resolve().parents[3] / "models" / "compact-qa"
_VOCABULARY = 30_522
_ADDED = 0.1
_PADDING = 0
_END = 102


def _albert(tiny: bool) -> Any:
    """ALBERT-xlarge: 24 layers that share 50 million weights."""
    from transformers import AlbertConfig, AlbertForQuestionAnswering

    return AlbertForQuestionAnswering(
        AlbertConfig(
            vocab_size=_VOCABULARY,
            embedding_size=128,
            hidden_size=32 if tiny else 2048,
            num_hidden_layers=2 if tiny else 24,
            num_attention_heads=2 if tiny else 16,
            intermediate_size=64 if tiny else 8192,
            hidden_act="gelu_new",
        )
    )


def _roberta(tiny: bool) -> Any:
    """RoBERTa-large with three labels."""
    from transformers import RobertaConfig, RobertaForSequenceClassification

    labels = dict(enumerate(("entailment", "neutral", "contradiction")))
    return RobertaForSequenceClassification(
        RobertaConfig(
            vocab_size=_VOCABULARY,
            hidden_size=32 if tiny else 1024,
            num_hidden_layers=2 if tiny else 24,
            num_attention_heads=2 if tiny else 16,
            intermediate_size=64 if tiny else 4096,
            max_position_embeddings=514,
            type_vocab_size=1,
            pad_token_id=_PADDING,
            id2label=labels,
            label2id={label: index for index, label in labels.items()},
        )
    )


def _t5(tiny: bool) -> Any:
    """T5-base, whose beams end at ``QUESTION_TOKENS``."""
    from transformers import T5Config, T5ForConditionalGeneration

    model: Any = T5ForConditionalGeneration(
        T5Config(
            vocab_size=32_128,
            d_model=32 if tiny else 768,
            d_kv=16 if tiny else 64,
            d_ff=64 if tiny else 3072,
            num_layers=2 if tiny else 12,
            num_heads=2 if tiny else 12,
            pad_token_id=_PADDING,
            eos_token_id=_END,
        )
    )
    model.generation_config.decoder_start_token_id = _PADDING
    model.generation_config.min_length = QUESTION_TOKENS + 1
    return model


def keep_tokens_apart(model: Any) -> None:
    """Shrink what each layer adds, so that random layers keep tokens apart, as trained ones do.

    Else all tokens of a text come out alike after 24 layers, and the best one is noise.
    """
    for name, module in model.named_modules():
        if name.endswith(("attention.dense", "output.dense", "ffn_output")):
            module.weight.data *= _ADDED


_MAKERS: dict[str, Callable[[bool], Any]] = {"t5": _t5, "albert": _albert, "roberta": _roberta}


def make_checkpoints(folder: Path, tiny: bool = False) -> Path:
    """Write the three checkpoints below a folder, unless they are there; return their folder."""
    import torch

    folder = folder / ("tiny" if tiny else "paper")
    for seed, (name, make) in enumerate(_MAKERS.items()):
        place = folder / name
        if (place / "model.safetensors").exists():
            continue
        torch.manual_seed(seed)
        model = make(tiny)
        keep_tokens_apart(model)
        model.save_pretrained(place)
        for path in _TOKENIZER.glob("*token*"):
            shutil.copy(path, place)
        for path in _TOKENIZER.glob("vocab*"):
            shutil.copy(path, place)
    return folder


class PublishedGenerator(T5Questions):
    """The generator as it is loaded: torch's own products, and a copy of the context for every beam."""

    def _check(self, loaded: Loaded) -> None:
        """Change nothing for speed."""


class GuidedReader(ExtractiveAnswers):
    """A reader that notes which readings it settles in float32, and that may be told which."""

    told: AbstractSet[ReadingRequest] | None = None
    """The readings that are settled in float32; without it those whose own logits nearly tie."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.settled: set[ReadingRequest] = set()

    def _reads_again(self, request: ReadingRequest, windows: list[Any]) -> bool:
        found = (
            super()._reads_again(request, windows) if self.told is None else request in self.told
        )
        if found:
            self.settled.add(request)
        return found


def near_ties(
    reader: Any, precision: Precision, requests: Sequence[Any]
) -> AbstractSet[ReadingRequest]:
    """Return the readings that nearly tie for a trained reader in lower precision.

    The margins of random weights are noise, and three times as many of their readings nearly tie.
    """
    if precision == "fp32":
        return frozenset()
    trained = GuidedReader(reader.checkpoint, reader.revision, precision=precision)
    trained.answer(requests)
    return trained.settled


def load_models(
    folder: Path, generation: Precision, encoders: Precision, engine: Engine
) -> tuple[T5Questions, GuidedReader, NliJudge]:
    """Load the three models in the precisions given, both encoders on this engine.

    On ``torch`` the generator is that of the published loop, too.
    """
    beams = BeamParameters(max_question_tokens=QUESTION_TOKENS + 1)
    generator = PublishedGenerator if engine == "torch" else T5Questions
    models = (
        generator(str(folder / "t5"), parameters=beams, batch_size=_PROMPTS, precision=generation),
        GuidedReader(
            str(folder / "albert"),
            parameters=ReadingParameters(),
            precision=encoders,
            engine=engine,
        ),
        NliJudge(
            str(folder / "roberta"),
            parameters=EntailmentParameters(),
            precision=encoders,
            engine=engine,
        ),
    )
    for model in models:
        model.load()
    return models
