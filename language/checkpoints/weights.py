"""Read weights: the int8 rows of shipped encoders (written by ``lab/training/export.py``), and strict loading."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qsquared.errors import ModelError, first_line
from qsquared.language.checkpoints import shared_weights
from qsquared.language.checkpoints.larger_bases import require_base
from qsquared.language.neural.batches import is_out_of_memory

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

STORAGE_KEY = "q2.storage"
INT8_ROWS = "int8-rows"
SCALE = ".scale"
"""The ending of the name of a matrix's scales, one for each row."""
_REFETCH = "Fetch or install the model again, or use another profile."


def unpack(path: Path) -> dict[str, torch.Tensor]:
    """Return the weights of a file of int8 rows, as float32.

    Raises:
        ModelError: the file is damaged or holds no int8 rows.
    """
    import torch
    from safetensors.torch import load_file

    if _metadata(path).get(STORAGE_KEY) != INT8_ROWS:
        raise ModelError(f"{path} does not hold int8 rows.", _REFETCH)
    stored = load_file(path)
    state = {}
    for name, tensor in stored.items():
        if name.endswith(SCALE) and name.removesuffix(SCALE) in stored:
            continue
        if tensor.dtype == torch.int8:
            if name + SCALE not in stored:
                raise ModelError(f"{path} has no scale for {name}.", _REFETCH)
            state[name] = tensor.to(torch.float32) * stored[name + SCALE][:, None]
        else:
            state[name] = tensor
    return state


def load_encoder(auto_class: Any, folder: Path) -> PreTrainedModel:
    """Load the model of a folder, float32, in evaluation mode; never from the network.

    Packed weights must fit the architecture exactly; a model that rests on another is completed by
    the other's.
    Others may hold more than it needs (a pooler, say), never less: a missing tensor would be
    replaced by random numbers.

    Args:
        auto_class: the transformers class for the task, such as ``AutoModelForQuestionAnswering``.
        folder: config and safetensors.

    Raises:
        ModelError: a file is missing or damaged, or the weights do not fit the architecture.
        MemoryError: the model does not fit in memory.
    """
    with _loading(f"model in {folder}"):
        model: PreTrainedModel = _load(auto_class, folder).eval()
    return model


def load_tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a folder; never from the network.

    Raises:
        ModelError: a file is missing or damaged.
    """
    from transformers import AutoTokenizer

    with _loading(f"tokenizer in {folder}"):
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False
        )
    return tokenizer


@contextmanager
def _loading(named: str) -> Iterator[None]:
    """Turn an exception of transformers into an error of the model, or of memory."""
    try:
        yield
    except (ModelError, MemoryError):
        raise
    except Exception as error:  # transformers raises of every kind on a damaged checkpoint
        reason = first_line(error)
        if is_out_of_memory(error):
            raise MemoryError(f"the {named} does not fit: {reason}") from error
        raise ModelError(f"The {named} cannot be loaded: {reason}", _REFETCH) from error


def _load(auto_class: Any, folder: Path) -> Any:
    import torch
    from transformers import AutoConfig
    from transformers.utils import logging

    path = folder / shared_weights.WEIGHTS
    storage = _metadata(path).get(STORAGE_KEY) if path.is_file() else None
    if storage in {INT8_ROWS, shared_weights.ADAPTERS_STORAGE}:
        config = AutoConfig.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False
        )
        model = auto_class.from_config(config, dtype=torch.float32, trust_remote_code=False)
        if storage == INT8_ROWS:
            state = unpack(path)
            state |= _underneath(folder, model.state_dict().keys() - state.keys())
        else:
            state = _adapted(folder, model)
        missing, unexpected = model.load_state_dict(state, strict=False)
        _require_fit(folder, missing, "misses")
        _require_fit(folder, unexpected, "has the unknown")
        return model
    if (folder / shared_weights.BASE).exists():
        raise ModelError(f"{path} rests on another model and does not hold int8 rows.", _REFETCH)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    model, info = auto_class.from_pretrained(
        str(folder),
        use_safetensors=True,
        local_files_only=True,
        trust_remote_code=False,
        dtype=torch.float32,
        output_loading_info=True,
    )
    _require_fit(folder, info["missing_keys"], "misses")
    _require_fit(folder, [key[0] for key in info["mismatched_keys"]], "has another shape of")
    return model


def _underneath(folder: Path, wanted: Collection[str]) -> dict[str, torch.Tensor]:
    """Return the wanted weights that the base has; empty for a model without a base."""
    base = shared_weights.checked_base(folder)
    if base is None:
        return {}
    return {name: tensor for name, tensor in unpack(base).items() if name in wanted}


def _adapted(folder: Path, model: Any) -> dict[str, torch.Tensor]:
    """Return the weights of a model whose folder holds adapters of an encoder that lies elsewhere."""
    from safetensors.torch import load_file

    record = shared_weights.read_record(folder)
    if record is None:
        raise ModelError(f"{folder} holds adapters and no {shared_weights.ADAPTERS}.", _REFETCH)
    base = load_file(require_base(folder.name, record, checked=True))
    adapters, wanted = load_file(folder / shared_weights.WEIGHTS), model.state_dict()
    return shared_weights.merged(adapters, base, wanted, model.base_model_prefix, record.scale)


def _require_fit(folder: Path, names: Any, verb: str) -> None:
    if names:
        raise ModelError(
            f"The model in {folder} {verb} weights {', '.join(sorted(names)[:3])}: it was not made "
            "for this task and architecture.",
            _REFETCH,
        )


def _metadata(path: Path) -> dict[str, str]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            return dict(file.metadata() or {})
    except (SafetensorError, OSError) as error:
        raise ModelError(f"{path} is damaged: {error}.", _REFETCH) from error
