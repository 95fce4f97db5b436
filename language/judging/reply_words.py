"""Classify replies into BEGIN's five classes with a T5 that writes the class as a word (Dziri et al. 2021)."""

from collections.abc import Sequence
from typing import Any

from qsquared.language.judging.reply_classes import RepliesInPieces, Row
from qsquared.method.begin.taxonomy import LABELS
from qsquared.records import ReplyClasses


def prompt_of(knowledge: str, previous: str | None, response: str) -> str:
    """Return the text that a T5 reads: its form for MNLI, as in BEGIN (Dziri et al. 2021, section 5).

    The premise is the context: the knowledge, then the turn before; the paper does not give their
    delimiter, and a space is ours.
    """
    context = f"{knowledge} {previous}" if previous else knowledge
    return f"premise: {context} hypothesis: {response}"


class T5ReplyClassifier(RepliesInPieces):
    """A text-to-text classifier: the likelihoods of the five label words, scaled to sum to one."""

    implementation = "t5-reply-classifier"
    auto_class = "AutoModelForSeq2SeqLM"
    version = 2

    def _tokens(self, row: Row) -> int:
        return len(self.load().tokenizer(prompt_of(*row), verbose=False)["input_ids"])

    def _read(self, rows: Sequence[Row]) -> list[ReplyClasses]:
        tokenizer = self.load().tokenizer
        ids = [tokenizer(prompt_of(*row), verbose=False)["input_ids"] for row in rows]
        read = dict(
            self._in_batches(
                [len(row) for row in ids], lambda batch: self._weigh([ids[i] for i in batch])
            )
        )
        return [read[index] for index in range(len(rows))]

    def _weigh(self, ids: list[list[int]]) -> list[ReplyClasses]:
        import torch

        loaded = self.load()
        model: Any = loaded.model
        inputs = loaded.pad({"input_ids": ids}, self.device)
        words = [loaded.tokenizer(label)["input_ids"] for label in LABELS]
        scores = []
        with torch.inference_mode():
            encoded = model.get_encoder()(**inputs)
            for word in words:
                labels = torch.tensor([word] * len(ids), device=self.device)
                logits = model(
                    encoder_outputs=encoded, attention_mask=inputs["attention_mask"], labels=labels
                ).logits
                steps = logits.to(torch.float64).log_softmax(-1)
                scores.append(steps.gather(2, labels[:, :, None]).sum((1, 2)))
        total = torch.stack(scores, dim=1).cpu()
        if not torch.isfinite(total).all():
            raise self._non_finite()
        return [ReplyClasses(*row) for row in total.softmax(dim=1).tolist()]
