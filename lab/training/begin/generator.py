"""Generator of replies from a checkpoint, for silver data as the paper makes it (BEGIN, section 4)."""

from pathlib import Path
from typing import Any

from qsquared.language.checkpoints.weights import load_encoder, load_tokenizer

HALLUCINATING = 0.9
"""Temperature of replies to perturbed evidence; the paper's is not known to us."""
GENERIC = 0.4
"""Temperature of generic replies (section 4)."""


class ModelReplies:
    """Replies of a model that was trained on knowledge-grounded dialogue.

    It reads the evidence, then the turn before (section 2.1).
    The paper's is GPT-2, a decoder, which writes its reply after them; an encoder-decoder does too.

    Args:
        checkpoint: a folder with safetensors.
        seed: of the sampling.
    """

    def __init__(self, checkpoint: str, seed: int) -> None:
        import torch
        from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

        folder = Path(checkpoint)
        self._two_parts = AutoConfig.from_pretrained(folder).is_encoder_decoder
        kind = AutoModelForSeq2SeqLM if self._two_parts else AutoModelForCausalLM
        self.model: Any = load_encoder(kind, folder)
        self.tokenizer = load_tokenizer(folder)
        torch.manual_seed(seed)

    def answer(self, evidence: str, previous: str) -> str:
        """Return a reply to the turn before, from the evidence."""
        return self._sample(f"{evidence} {previous}", HALLUCINATING)

    def generic(self, evidence: str, previous: str) -> str:
        """Return the same at a low temperature, which gives phrases that fit anything."""
        return self._sample(f"{evidence} {previous}", GENERIC)

    def _sample(self, prompt: str, temperature: float) -> str:
        import torch

        inputs = self.tokenizer(prompt, return_tensors="pt", truncation=True, max_length=256)
        with torch.inference_mode():
            ids = self.model.generate(
                **inputs, do_sample=True, temperature=temperature, max_new_tokens=48
            )
        # A decoder's output begins with what it read.
        start = 0 if self._two_parts else inputs["input_ids"].shape[1]
        return str(self.tokenizer.decode(ids[0][start:], skip_special_tokens=True)).strip()
