"""Description of the machine that times were measured on."""

import os
import platform
import resource
from importlib.metadata import version
from pathlib import Path


def describe_machine() -> dict[str, str | int]:
    """Return processor, usable cores, torch's threads, memory and versions."""
    import torch

    return {
        "processor": _processor(),
        "cores": _cores(),
        "torch_threads": torch.get_num_threads(),
        "memory_gib": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": version("torch"),
        "transformers": version("transformers"),
        "spacy": version("spacy"),
    }


def peak_megabytes() -> float:
    """Return the greatest resident memory of this process since its program was started.

    ``ru_maxrss`` alone also holds that of the process which started it, such as a benchmark with
    the paper's models in memory.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name == "VmHWM":
                return int(value.split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def _cores() -> int:
    """Count the cores that this process may use, which a container's affinity may make fewer."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory() -> int:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (AttributeError, OSError, ValueError):
        return 0
