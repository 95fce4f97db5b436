"""Losses of a judge: by labels of which some are only half known, and by a teacher's probabilities."""

from collections.abc import Callable
from typing import Any

import torch

NLI_LABELS = ("entailment", "neutral", "contradiction")
BEFORE_TWIN = len(NLI_LABELS) + 1
"""The label of an entailed claim whose false twin is the next row of its batch."""


def inference_losses(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return each row's cross-entropy; ``not_entailment`` asks for either of the other two classes.

    Args:
        logits: rows by ``NLI_LABELS``.
        labels: index of each row's label; that of ``not_entailment`` is the one after the last,
            and ``BEFORE_TWIN`` is entailment, too.
    """
    labels = labels.where(labels != BEFORE_TWIN, 0)
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


def pair_losses(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return each pair's loss: a true claim is entailed rather than its twin (Bradley and Terry 1952).

    Args:
        logits: rows by ``NLI_LABELS``.
        labels: index of each row's label; ``BEFORE_TWIN`` where the next row is the false twin.
    """
    log = logits.float().log_softmax(-1)
    odds = log[:, 0] - log[:, 1:].logsumexp(-1)
    true = (labels == BEFORE_TWIN).nonzero()[:, 0]
    return -torch.nn.functional.logsigmoid(odds[true] - odds[true + 1])


def mean_loss(teacher_share: float) -> Callable[..., torch.Tensor]:
    """Return the loss of a judge's batch: by its labels, a teacher's where rows have them, and of its pairs."""

    def loss(outputs: Any, labels: torch.Tensor, **_: Any) -> torch.Tensor:
        logits = outputs["logits"]
        own = labels if labels.ndim == 1 else labels[:, 0].long()
        losses = (
            inference_losses(logits, labels)
            if labels.ndim == 1
            else distilling_losses(logits, labels, teacher_share)
        )
        # A pair counts as much as a row does.
        return (losses.sum() + pair_losses(logits, own).sum()) / len(losses)

    return loss
