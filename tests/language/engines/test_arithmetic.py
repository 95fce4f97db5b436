"""Tests of the engine, the precision and the cores that models run with."""

from __future__ import annotations

import os
from typing import Any

import pytest

from qsquared.errors import ModelError
from qsquared.language.engines import arithmetic
from qsquared.language.engines.arithmetic import Arithmetic, choose_arithmetic, cores


@pytest.mark.parametrize(("given", "found"), [("3", 3), ("2,1", 2)])
def test_as_many_cores_as_torch_is_given(given: str, found: int, monkeypatch: Any) -> None:
    """``OMP_NUM_THREADS`` bounds them."""
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert cores() == found


@pytest.mark.parametrize("given", ["", "none", "0"])
def test_all_cores_without_a_number_of_them(given: str, monkeypatch: Any) -> None:
    """Two threads of a core count as one."""
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert 1 <= cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("engine", "precision", "device", "bf16", "chosen"),
    [
        ("auto", "auto", "cpu", True, Arithmetic("openvino", "bf16")),
        ("auto", "auto", "cpu", False, Arithmetic("openvino", "fp32")),
        ("auto", "auto", "cuda:1", True, Arithmetic("torch", "fp32")),
        ("auto", "fp32", "cpu", True, Arithmetic("openvino", "fp32")),
        ("torch", "auto", "cpu", True, Arithmetic("torch", "fp32")),
        ("torch", "bf16", "cuda", True, Arithmetic("torch", "bf16")),
    ],
)
def test_engine_and_precision_follow_from_profile_and_machine(
    engine: Any, precision: Any, device: str, bf16: bool, chosen: Arithmetic, monkeypatch: Any
) -> None:
    """OpenVINO on CPUs, torch elsewhere; bfloat16 only where the processor multiplies it."""
    monkeypatch.setattr(arithmetic, "_multiplies_bf16", lambda: bf16)
    assert choose_arithmetic(engine, precision, device, convertible=True) == chosen


def test_without_openvino_torch_runs_the_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default that is silent; a profile that asks for OpenVINO is told how to get it."""
    monkeypatch.setattr(arithmetic, "_is_installed", lambda: False)
    assert choose_arithmetic("auto", "auto", "cpu", convertible=True) == Arithmetic("torch", "fp32")
    with pytest.raises(ModelError, match="has to be installed"):
        choose_arithmetic("openvino", "fp32", "cpu", convertible=True)
