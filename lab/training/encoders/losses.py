"""Losses of a judge: by labels of which some are only half known, and by a teacher's probabilities."""

from collections.abc import Callable
from typing import Any

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
