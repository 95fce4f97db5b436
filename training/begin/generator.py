"""Generator of replies from a checkpoint, for silver data as the paper makes it (BEGIN, section 4)."""

from pathlib import Path
from typing import Any

from qsquared.language.checkpoints.weights import load_encoder, load_tokenizer

HALLUCINATING = 0.9
"""Temperature of replies to perturbed evidence; the paper's is not known to us."""
GENERIC = 0.3
"""Temperature of generic replies; a low one gives phrases that fit anything."""


class ModelReplies:
    """Replies of a sequence-to-sequence model that was trained on knowledge-grounded dialogue.

    Args:
        checkpoint: a folder with safetensors.
        seed: of the sampling.
    """

    def __init__(self, checkpoint: str, seed: int) -> None:
        import torch
        from transformers import AutoModelForSeq2SeqLM

        folder = Path(checkpoint)
        self.model: Any = load_encoder(AutoModelForSeq2SeqLM, folder)
        self.tokenizer = load_tokenizer(folder)
        torch.manual_seed(seed)

    def answer(self, evidence: str, previous: str) -> str:
        """Return a reply to the turn before, from the evidence."""
        return self._sample(f"{previous} {evidence}", HALLUCINATING)

    def generic(self, _evidence: str, previous: str) -> str:
        """Return a reply to the turn before, without evidence and at a low temperature."""
        return self._sample(previous, GENERIC)

    def _sample(self, prompt: str, temperature: float) -> str:
        import torch

        inputs = self.tokenizer(prompt, return_tensors="pt", truncation=True, max_length=256)
        with torch.inference_mode():
            ids = self.model.generate(
                **inputs, do_sample=True, temperature=temperature, max_new_tokens=48
            )
        return str(self.tokenizer.decode(ids[0], skip_special_tokens=True)).strip()
