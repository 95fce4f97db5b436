"""Tests of the devices that models may run on."""

from __future__ import annotations

import pytest
import torch

from qsquared.errors import UsageError
from qsquared.language.engines.devices import check_device


def _torch_with(monkeypatch: pytest.MonkeyPatch, *, cuda: str | None, gpus: int) -> None:
    monkeypatch.setattr(torch.version, "cuda", cuda)
    monkeypatch.setattr(torch.version, "hip", None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpus > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


@pytest.mark.parametrize(
    ("device", "cuda", "gpus", "told"),
    [
        ("cuda", None, 0, "built without support for GPUs"),
        ("cuda", "12.8", 0, "torch finds no GPU"),
        ("cuda:2", "12.8", 2, "torch finds 2 GPUs, of which the first is cuda:0"),
        ("mps", None, 0, "no GPU of Apple"),
        ("gpu", "12.8", 1, "There is no device 'gpu'"),
        ("cuda:x", "12.8", 1, "There is no device 'cuda:x'"),
        ("", "12.8", 1, "There is no device ''"),
    ],
)
def test_a_device_that_is_not_there_is_a_sentence(monkeypatch, device, cuda, gpus, told):
    """The sentence says what torch finds, and the hint what to do."""
    _torch_with(monkeypatch, cuda=cuda, gpus=gpus)
    with pytest.raises(UsageError, match=told) as refused:
        check_device(device)
    assert "cpu" in refused.value.hint


@pytest.mark.parametrize("device", ["cpu", "cuda", "cuda:1"])
def test_a_device_that_is_there_is_no_error(monkeypatch, device):
    """Of two GPUs the second is cuda:1."""
    _torch_with(monkeypatch, cuda="12.8", gpus=2)
    check_device(device)
