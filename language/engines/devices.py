"""The device, engine and precision of a model on this machine, their mark in its identity, and its cache."""

import os
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from qsquared.errors import ModelError, UsageError
from qsquared.language.engines.hidden_imports import import_openvino
from qsquared.profiles.model_parameters import Engine, Precision, PrecisionChoice

_TORCH: dict[Precision, str] = {"bf16": "bf16-linear/2"}
_OPENVINO: dict[Precision, str] = {"bf16": "openvino-bf16/2", "int8": "openvino-int8/2"}
"""Marks; a number is raised whenever the arithmetic changes."""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The engine that runs a model, ``torch`` or ``openvino``, and the precision of its products."""

    engine: Engine = "torch"
    precision: Precision = "fp32"

    @property
    def mark(self) -> str:
        """The part of a model's identity that keeps scores of different arithmetic apart.

        In float32 all engines and devices are one: they differ in the last digits of a logit only.
        """
        if self.precision == "fp32":
            return "fp32"
        return (_TORCH if self.engine == "torch" else _OPENVINO)[self.precision]


def choose_arithmetic(
    engine: Engine, precision: PrecisionChoice, device: str, *, convertible: bool
) -> Arithmetic:
    """Return the arithmetic of a role of a profile on this machine; loads no model.

    Args:
        engine: the profile's; ``auto`` takes OpenVINO where it is installed and the device is a CPU.
        precision: the profile's; ``auto`` is float32, or less where OpenVINO runs the model and the
            processor multiplies that faster; ``amx`` is bfloat16 where it does so with AMX (decision 46).
        device: a torch device.
        convertible: whether OpenVINO can run this kind of model.

    Raises:
        ModelError: the profile asks for OpenVINO, or for int8, where OpenVINO cannot run the model.
    """
    on_cpu = device.partition(":")[0] == "cpu"
    can_convert = convertible and on_cpu and _is_installed()
    chosen = engine
    if engine == "auto":
        chosen = "openvino" if can_convert else "torch"
    if not can_convert and engine == "openvino":
        raise ModelError(
            "The profile asks for the engine openvino, which runs encoders on a CPU and has to be "
            "installed.",
            'Install it with: pip install openvino; or say engine = "auto" in the profile.',
        )
    if chosen == "torch" and precision == "int8":
        raise ModelError(
            "The profile asks for int8, which only the engine openvino has, for encoders on a CPU.",
            "Install it with: pip install openvino; or use a profile in bf16 or fp32.",
        )
    if precision == "auto":
        precision = fastest_precision() if chosen == "openvino" else "fp32"
    elif precision == "amx":
        has_tiles = chosen == "openvino" and "amx_bf16" in processor_flags()
        precision = "bf16" if has_tiles else "fp32"
    return Arithmetic(chosen, precision)


def cores() -> int:
    """Return the number of cores to compute on, as torch has it: ``OMP_NUM_THREADS``, or all of them.

    Two threads of one core share its multipliers, so a core counts once.
    """
    given = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    if given.isdecimal() and int(given):
        return int(given)
    if not hasattr(os, "sched_getaffinity"):
        return os.cpu_count() or 1
    return len({_threads_beside(number) for number in os.sched_getaffinity(0)})


def _threads_beside(processor: int) -> str:
    """Return the processors that share a core with this one, as Linux lists them."""
    listed = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
    try:
        return listed.read_text(encoding="ascii")
    except OSError:
        return str(processor)


def _is_installed() -> bool:
    return find_spec("openvino") is not None


@lru_cache(maxsize=1)
def fastest_precision() -> Precision:
    """Return the precision in which OpenVINO multiplies fastest on this processor.

    A processor can have instructions for bfloat16 that are no faster than those for float32 (Sapphire
    Rapids without its tiles), while products of int8 are more than three times as fast there.
    """
    flags = processor_flags()
    if "avx512_vnni" in flags and "amx_bf16" not in flags:
        return "int8"
    capabilities = import_openvino().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return "bf16" if "BF16" in capabilities else "fp32"


def processor_flags() -> set[str]:
    """Return the instruction sets of the processor, as Linux lists them; elsewhere none."""
    try:
        return set(Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split())
    except OSError:
        return set()


_KINDS = ("cpu", "cuda", "mps")


def check_device(device: str) -> None:
    """Refuse a device that is not there, before any work is done.

    Raises:
        UsageError: the name is none, or torch has no such device here.
    """
    kind, _, number = device.partition(":")
    if kind not in _KINDS or (":" in device and not number.isdecimal()):
        raise UsageError(
            f"There is no device {device!r}.", "Use cpu, cuda, cuda:1 (the second GPU) or mps."
        )
    if kind == "cpu":
        return
    # The name decides without torch, which takes seconds to import.
    import torch

    if kind == "mps":
        if not torch.backends.mps.is_available():
            raise UsageError(
                "The device 'mps' is not there: torch finds no GPU of Apple on this machine.",
                "Run on the processor: --device cpu",
            )
        return
    if torch.version.cuda is None and torch.version.hip is None:
        raise UsageError(
            f"The device {device!r} cannot be used: torch {torch.__version__} is built without "
            "support for GPUs.",
            "Run on the processor (--device cpu), or install torch for CUDA: "
            "https://pytorch.org/get-started/locally/",
        )
    devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if int(number or 0) >= devices:
        gpus = f"{devices} GPUs, of which the first is cuda:0" if devices else "no GPU"
        raise UsageError(
            f"The device {device!r} is not there: torch finds {gpus}.",
            "Run on the processor (--device cpu), or check the driver with: nvidia-smi",
        )


CACHE = "Q2_CACHE"
"""The environment variable that names its folder."""


def cache_folder(name: str) -> Path:
    """Return a part of the cache."""
    given = os.environ.get(CACHE)
    caches = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return (Path(given) if given else Path(caches) / "qsquared") / name
