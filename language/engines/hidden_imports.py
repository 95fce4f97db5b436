"""Hide modules that a library would import if it could, and that we do not need."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def hidden(name: str) -> Iterator[None]:
    """Let the imports within find that a module is not installed, whether it is or not."""
    imported = sys.modules.get(name)
    # Python takes a module that is None for one that is not installed.
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
        if imported is not None:
            sys.modules[name] = imported


def import_openvino() -> Any:
    """Import OpenVINO without its telemetry: by itself it reports each import to a server.

    It takes the absence of its telemetry for a choice.
    """
    with hidden("openvino_telemetry"):
        import openvino
    return openvino
