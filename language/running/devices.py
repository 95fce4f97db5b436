"""Whether torch reaches the device that models are to run on."""

from qsquared.errors import UsageError

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
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if int(number or 0) >= found:
        gpus = f"{found} GPUs, of which the first is cuda:0" if found else "no GPU"
        raise UsageError(
            f"The device {device!r} is not there: torch finds {gpus}.",
            "Run on the processor (--device cpu), or check the driver with: nvidia-smi",
        )
