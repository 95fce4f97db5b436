"""Soft labels of a larger judge or reader, by which a smaller one is trained (Hinton et al. 2015)."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from joblib import Memory
from transformers import AutoModelForQuestionAnswering, AutoModelForSequenceClassification

from lab.training.encoders.fit import bf16_is_faster
from lab.training.encoders.losses import NLI_LABELS
from lab.training.encoders.rows import MAX_TOKENS, Rows
from lab.training.examples.qa import QAExample
from lab.training.mixture.inference import Inference
from qsquared.language.checkpoints.checksums import sha256_of_file
from qsquared.language.checkpoints.shared_weights import WEIGHTS
from qsquared.language.checkpoints.weights import load_encoder, load_tokenizer

CHUNK = 2048
"""Examples that are asked together: what a killed run asks again is at most so many."""
_BATCH = 32
TOP = 6
"""Likeliest starts and ends of a span that a teacher's reading keeps."""


def soft_labels(
    teacher: Path, examples: Sequence[Inference], folder: Path, threads: int
) -> np.ndarray:
    """Return the teacher's probability of each label for each example.

    Args:
        teacher: folder of a trained or shipped judge, with the labels of ``NLI_LABELS`` in that order.
        examples: premises and hypotheses; their own labels are not read.
        folder: where judged examples lie.
        threads: of torch.

    Returns:
        Examples by labels, float32.
    """
    pairs = [(one.premise, one.hypothesis) for one in examples]
    found = _asked(teacher, _judged, pairs, folder, threads)
    return np.stack(found) if found else np.zeros((0, len(NLI_LABELS)), np.float32)


def soft_spans(
    teacher: Path, examples: Sequence[QAExample], folder: Path, threads: int
) -> np.ndarray:
    """Return the likeliest starts and ends of the answer to each example, as the teacher reads it.

    Args:
        teacher: folder of a trained or shipped reader.
        examples: questions and texts; their own answers are not read.
        folder: where read examples lie.
        threads: of torch.

    Returns:
        Examples by start and end by ``TOP`` by character in the text and probability, float32; the
        character is that before which a start, or an end, lies, and -1 for no answer.
    """
    pairs = [(one.question, one.text) for one in examples]
    found = _asked(teacher, _read, pairs, folder, threads)
    return np.stack(found) if found else np.zeros((0, 2, TOP, 2), np.float32)


def _asked(
    teacher: Path,
    ask: Callable[[Path, str, Sequence[tuple[str, str]]], np.ndarray],
    pairs: Sequence[tuple[str, str]],
    folder: Path,
    threads: int,
) -> list[np.ndarray]:
    """Return what a teacher says of each pair of texts.

    What was asked is kept in ``folder``, by its texts and the hash of the teacher's weights, so a
    killed run goes on.
    """
    torch.set_num_threads(threads)
    kept = Memory(folder, verbose=0).cache(ask, ignore=["teacher"])
    sha256 = sha256_of_file(teacher / WEIGHTS)
    found: list[np.ndarray] = []
    for start in range(0, len(pairs), CHUNK):
        found += [*kept(teacher, sha256, pairs[start : start + CHUNK])]
        print(f"{len(found)} of {len(pairs)} examples have soft labels", flush=True)
    return found


@lru_cache(maxsize=1)
def _loaded(teacher: Path, kind: Any) -> tuple[Any, Any]:
    return load_encoder(kind, teacher), load_tokenizer(teacher)


def _judged(teacher: Path, _sha256: str, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """Return the probabilities of a chunk of premises and hypotheses."""
    model, tokenizer = _loaded(teacher, AutoModelForSequenceClassification)
    encoded = tokenizer(
        *map(list, zip(*pairs, strict=True)), truncation="longest_first", max_length=MAX_TOKENS
    )
    found = np.zeros((len(pairs), len(NLI_LABELS)), np.float32)
    for rows, outputs in _outputs(model, tokenizer, encoded):
        found[rows] = outputs.logits.float().softmax(-1).numpy()
    return found


def _read(teacher: Path, _sha256: str, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """Return the likeliest starts and ends of a chunk of questions and texts."""
    model, tokenizer = _loaded(teacher, AutoModelForQuestionAnswering)
    encoded = tokenizer(
        *map(list, zip(*pairs, strict=True)),
        truncation="longest_first",
        max_length=MAX_TOKENS,
        return_offsets_mapping=True,
    )
    bounds = encoded.pop("offset_mapping")
    found = np.zeros((len(pairs), 2, TOP, 2), np.float32)
    for rows, outputs in _outputs(model, tokenizer, encoded):
        for side, logits in enumerate((outputs.start_logits, outputs.end_logits)):
            for row, scores in zip(rows, logits.float(), strict=True):
                # The first token, [CLS], stands for no answer; special tokens and the question for nothing.
                places = [0, *(t for t, part in enumerate(encoded.sequence_ids(row)) if part == 1)]
                likeliest = scores[places].softmax(-1).topk(min(TOP, len(places)))
                for k, (place, share) in enumerate(
                    zip(likeliest.indices, likeliest.values, strict=True)
                ):
                    token = places[place]
                    found[row, side, k] = bounds[row][token][side] if token else -1, share
    return found


def _outputs(model: Any, tokenizer: Any, encoded: Any) -> Iterator[tuple[list[int], Any]]:
    """Yield rows of a chunk and the model's outputs, in the order of length so that little is padding."""
    lengths = [len(ids) for ids in encoded["input_ids"]]
    order = np.argsort(lengths, kind="stable")
    for at in range(0, len(order), _BATCH):
        rows = order[at : at + _BATCH].tolist()
        batch = tokenizer.pad(
            {name: [values[row] for row in rows] for name, values in encoded.items()},
            pad_to_multiple_of=16,
            return_tensors="pt",
        )
        narrow = torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16_is_faster())
        with torch.inference_mode(), narrow:
            yield rows, model(**batch)


def with_soft_labels(rows: Rows, soft: np.ndarray) -> Rows:
    """Return rows whose label is followed by the teacher's probabilities."""
    return Rows(
        [
            row | {"labels": [float(row["labels"]), *map(float, probabilities)]}
            for row, probabilities in zip(rows.rows, soft, strict=True)
        ]
    )
