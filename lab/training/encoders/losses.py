"""Losses of a judge and of a reader: by labels, some only half known, and by a teacher's probabilities."""

from collections.abc import Callable
from typing import Any, cast

import torch

NLI_LABELS = ("entailment", "neutral", "contradiction")


def inference_losses(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return each row's cross-entropy; ``not_entailment`` asks for either of the other two classes.

    Args:
        logits: rows by ``NLI_LABELS``.
        labels: index of each row's label; that of ``not_entailment`` is the one after the last.
    """
    log = logits.float().log_softmax(-1)
    either = log[:, 1:].logsumexp(-1)
    exact = log.gather(1, labels.clamp(max=len(NLI_LABELS) - 1)[:, None])[:, 0]
    return -torch.where(labels == len(NLI_LABELS), either, exact)


def distilling_losses(
    logits: torch.Tensor, labels: torch.Tensor, teacher_share: float
) -> torch.Tensor:
    """Return each row's loss: of its own label, and of a teacher's probabilities.

    Args:
        logits: rows by ``NLI_LABELS``.
        labels: rows by the index of their label and the teacher's probabilities.
        teacher_share: how much the teacher's probabilities count, 0 to 1.
    """
    own = inference_losses(logits, labels[:, 0].long())
    taught = -(labels[:, 1:] * logits.float().log_softmax(-1)).sum(-1)
    return (1 - teacher_share) * own + teacher_share * taught


def span_losses(
    starts: torch.Tensor, ends: torch.Tensor, labels: torch.Tensor, teacher_share: float
) -> torch.Tensor:
    """Return each row's loss of a reader: of the answer's own bounds, and of a teacher's.

    Args:
        starts: rows by tokens.
        ends: rows by tokens.
        labels: rows by start and end by the true token, the teacher's tokens and their probabilities.
        teacher_share: how much the teacher's probabilities count, 0 to 1.
    """
    losses = []
    for logits, bound in zip((starts, ends), labels.unbind(1), strict=True):
        log = logits.float().log_softmax(-1)
        tokens, shares = bound[:, 1:].chunk(2, dim=-1)
        own = log.gather(1, bound[:, :1].long())[:, 0]
        taught = (shares * log.gather(1, tokens.long())).sum(-1)
        losses.append(-((1 - teacher_share) * own + teacher_share * taught))
    return torch.stack(losses).mean(0)


def mean_span_loss(teacher_share: float) -> Callable[..., torch.Tensor]:
    """Return the loss of a taught reader's batch."""

    def loss(outputs: Any, labels: torch.Tensor | None, **_: Any) -> torch.Tensor:
        if labels is None:  # development rows, whose loss the model has computed
            return cast(torch.Tensor, outputs["loss"])
        return span_losses(
            outputs["start_logits"], outputs["end_logits"], labels, teacher_share
        ).mean()

    return loss


def mean_loss(teacher_share: float) -> Callable[..., torch.Tensor]:
    """Return the loss of a judge's batch: by its labels, and a teacher's where rows have them."""

    def loss(outputs: Any, labels: torch.Tensor, **_: Any) -> torch.Tensor:
        logits = outputs["logits"]
        losses = (
            inference_losses(logits, labels)
            if labels.ndim == 1
            else distilling_losses(logits, labels, teacher_share)
        )
        return losses.mean()

    return loss
