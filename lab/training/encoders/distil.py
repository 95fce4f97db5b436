"""Soft labels of a larger judge, by which a smaller one is trained (Hinton et al. 2015)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification

from lab.training.encoders.arithmetic import bf16_is_faster
from lab.training.encoders.fit import MAX_TOKENS
from lab.training.encoders.losses import NLI_LABELS
from lab.training.encoders.rows import Rows
from lab.training.sources.inference import Inference
from qsquared.hashing import sha256_of_file
from qsquared.language.checkpoints.shared_weights import WEIGHTS
from qsquared.language.checkpoints.weights import load_encoder, load_tokenizer
from qsquared.storage.keys import digest

CHUNK = 2048
"""Examples in one file of soft labels: what a killed run asks again is at most so many."""
_BATCH = 32


def soft_labels(
    teacher: Path, examples: Sequence[Inference], folder: Path, threads: int
) -> np.ndarray:
    """Return the teacher's probability of each label for each example.

    What was judged is kept in ``folder``, by example, under the hash of the teacher's weights: a
    killed run goes on, and one on a changed mixture judges what is new to it.

    Args:
        teacher: folder of a trained or shipped judge, with the labels of ``NLI_LABELS`` in that order.
        examples: premises and hypotheses; their own labels are not read.
        folder: where judged examples lie.
        threads: of torch.

    Returns:
        Examples by labels, float32.
    """
    torch.set_num_threads(threads)
    folder.mkdir(parents=True, exist_ok=True)
    name = sha256_of_file(teacher / WEIGHTS)[:12]
    known = _kept(folder, name)
    texts = [digest([one.premise, one.hypothesis])[:16] for one in examples]
    missing = list({text: i for i, text in enumerate(texts) if text not in known}.values())
    if missing:
        model = load_encoder(AutoModelForSequenceClassification, teacher)
        tokenizer = load_tokenizer(teacher)
    for start in range(0, len(missing), CHUNK):
        chunk = missing[start : start + CHUNK]
        judged = _judged(model, tokenizer, [examples[i] for i in chunk])
        own = [texts[i] for i in chunk]
        path = folder / f"soft-{name}-{digest(own)[:12]}.npz"
        part = path.with_suffix(".part.npz")
        np.savez(part, texts=np.array(own), judged=judged)
        part.replace(path)
        known |= dict(zip(own, judged, strict=True))
        print(f"{start + len(chunk)} of {len(missing)} examples have soft labels", flush=True)
    found = [known[text] for text in texts]
    return np.stack(found) if found else np.zeros((0, len(NLI_LABELS)), np.float32)


def _kept(folder: Path, name: str) -> dict[str, np.ndarray]:
    """Return what a teacher has judged before, by the digest of an example's texts."""
    known: dict[str, np.ndarray] = {}
    for path in sorted(folder.glob(f"soft-{name}-*.npz")):
        if ".part" not in path.suffixes:
            with np.load(path, allow_pickle=False) as kept:
                known |= dict(zip(kept["texts"].tolist(), kept["judged"], strict=True))
    return known


def _judged(model: Any, tokenizer: Any, chunk: Sequence[Inference]) -> np.ndarray:
    """Return the probabilities of a chunk, judged in the order of length so that little is padding."""
    encoded = tokenizer(
        [one.premise for one in chunk],
        [one.hypothesis for one in chunk],
        truncation="longest_first",
        max_length=MAX_TOKENS,
    )
    lengths = [len(ids) for ids in encoded["input_ids"]]
    order = np.argsort(lengths, kind="stable")
    found = np.zeros((len(chunk), len(NLI_LABELS)), np.float32)
    for at in range(0, len(order), _BATCH):
        rows = order[at : at + _BATCH].tolist()
        batch = tokenizer.pad(
            {name: [values[row] for row in rows] for name, values in encoded.items()},
            pad_to_multiple_of=16,
            return_tensors="pt",
        )
        narrow = torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16_is_faster())
        with torch.inference_mode(), narrow:
            found[rows] = model(**batch).logits.float().softmax(-1).numpy()
    return found


def with_soft_labels(rows: Rows, soft: np.ndarray) -> Rows:
    """Return rows whose label is followed by the teacher's probabilities."""
    return Rows(
        [
            row | {"labels": [float(row["labels"]), *map(float, probabilities)]}
            for row, probabilities in zip(rows.rows, soft, strict=True)
        ]
    )
