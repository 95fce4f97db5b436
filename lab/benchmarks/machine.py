"""The machine that times are measured on, commands under its clock, and figures as tables."""

import os
import platform
import resource
import subprocess
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from qsquared.language.engines.devices import cores, processor_flags

_BUSY = 1.5
"""Processes that run or wait, a core, from which on a machine is busy."""


def describe_machine() -> dict[str, str | int]:
    """Return processor, usable cores, torch's threads, memory and versions."""
    import torch

    return {
        "processor": _processor(),
        "cores": cores(),
        "torch_threads": torch.get_num_threads(),
        "memory_gib": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": version("torch"),
        "transformers": version("transformers"),
        "spacy": version("spacy"),
    }


_MULTIPLIES = {"avx512_bf16": "bfloat16", "avx512_vnni": "int8", "amx_int8": "int8 in tiles"}
"""Flag of the processor → numbers that it multiplies in hardware."""


def lacking() -> list[str]:
    """Return what this machine cannot show, as sentences: products in hardware, and a quiet processor."""
    flags = processor_flags()
    told = [
        f"It has no {flag}, so nothing is said of {numbers} there."
        for flag, numbers in _MULTIPLIES.items()
        if flags and flag not in flags
    ]
    busy = os.getloadavg()[0]
    if busy > cores() * _BUSY:
        told.append(f"It was busy (load {busy:.1f}): only processor time says something.")
    return told


def run_timed(command: Sequence[str], **options: Any) -> tuple[float, float, str]:
    """Run a command; return its seconds by the clock and of the processor, and its messages.

    Raises:
        RuntimeError: it failed; with its last messages.
    """
    began, used = time.perf_counter(), _children_seconds()
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise RuntimeError(f"{command} failed: {done.stderr[-2000:]}")
    return time.perf_counter() - began, _children_seconds() - used, done.stderr


def _children_seconds() -> float:
    """Return the processor time of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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


def _memory() -> int:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (AttributeError, OSError, ValueError):
        return 0


def print_table(console: Console, rows: Sequence[Sequence[str]], title: str) -> None:
    """Print a table of texts below its title; the first row is the head."""
    table = Table(*rows[0], title=title, title_justify="left")
    for row in rows[1:]:
        table.add_row(*row)
    console.print(table)
