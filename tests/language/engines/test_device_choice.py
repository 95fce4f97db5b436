"""Tests of the engine, the precision and the cores that models run with."""

from __future__ import annotations

import os
from typing import Any

import pytest

from qsquared.errors import ModelError
from qsquared.language.engines import devices
from qsquared.language.engines.devices import (
    Arithmetic,
    choose_arithmetic,
    cores,
    fastest_precision,
)
from qsquared.language.engines.hidden_imports import import_openvino


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
    ("engine", "precision", "device", "chosen"),
    [
        ("auto", "auto", "cpu", Arithmetic("openvino", "int8")),
        ("auto", "auto", "cuda:1", Arithmetic("torch", "fp32")),
        ("auto", "fp32", "cpu", Arithmetic("openvino", "fp32")),
        ("torch", "auto", "cpu", Arithmetic("torch", "fp32")),
        ("torch", "bf16", "cuda", Arithmetic("torch", "bf16")),
    ],
)
def test_engine_and_precision_follow_from_profile_and_machine(
    engine: Any, precision: Any, device: str, chosen: Arithmetic, monkeypatch: Any
) -> None:
    """OpenVINO on CPUs in the precision that is fastest there, torch elsewhere."""
    monkeypatch.setattr(devices, "fastest_precision", lambda: "int8")
    assert choose_arithmetic(engine, precision, device, convertible=True) == chosen


@pytest.mark.parametrize(
    ("flags", "device", "chosen"),
    [
        ({"avx512_vnni", "amx_bf16"}, "cpu", Arithmetic("openvino", "bf16")),
        ({"avx512_vnni", "avx512_bf16"}, "cpu", Arithmetic("openvino", "fp32")),
        ({"avx512_vnni", "amx_bf16"}, "cuda", Arithmetic("torch", "fp32")),
    ],
)
def test_a_judge_is_in_bfloat16_only_where_tiles_multiply_it(
    flags: set[str], device: str, chosen: Arithmetic, monkeypatch: Any
) -> None:
    """Elsewhere bfloat16 and int8 gain too little for probabilities that differ between machines."""
    monkeypatch.setattr(devices, "processor_flags", lambda: flags)
    assert choose_arithmetic("auto", "amx", device, convertible=True) == chosen


@pytest.mark.parametrize(
    ("flags", "capabilities", "fastest"),
    [
        ({"avx512_bf16", "avx512_vnni"}, ["FP32", "BF16", "INT8"], "int8"),
        ({"avx512_vnni"}, ["FP32", "INT8"], "int8"),
        ({"avx512_bf16", "avx512_vnni", "amx_bf16"}, ["FP32", "BF16", "INT8"], "bf16"),
        (set(), ["FP32", "BF16"], "bf16"),
        ({"avx2"}, ["FP32", "INT8"], "fp32"),
    ],
)
def test_the_fastest_precision_follows_from_the_processor(
    flags: set[str], capabilities: list[str], fastest: str, monkeypatch: Any
) -> None:
    """Tiles of bfloat16 come first, then products of int8."""

    class Core:
        def get_property(self, *_: str) -> list[str]:
            return capabilities

    monkeypatch.setattr(devices, "processor_flags", lambda: flags)
    monkeypatch.setattr(import_openvino(), "Core", Core)
    assert fastest_precision.__wrapped__() == fastest


def test_without_openvino_torch_runs_the_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default that is silent; a profile that asks for OpenVINO is told how to get it."""
    monkeypatch.setattr(devices, "_is_installed", lambda: False)
    assert choose_arithmetic("auto", "auto", "cpu", convertible=True) == Arithmetic("torch", "fp32")
    with pytest.raises(ModelError, match="has to be installed"):
        choose_arithmetic("openvino", "fp32", "cpu", convertible=True)
