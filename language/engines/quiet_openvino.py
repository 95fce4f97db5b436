"""OpenVINO without its telemetry: by itself it reports each import to a server, unless told not to.

Whoever needs the package imports it from here; it takes the absence of its telemetry for a choice.
"""

import sys
from types import ModuleType

_TELEMETRY = "openvino_telemetry"


def _import_quietly() -> ModuleType:
    installed = sys.modules.get(_TELEMETRY)
    # Python takes a module that is None for one that is not installed.
    sys.modules[_TELEMETRY] = None  # type: ignore[assignment]
    try:
        import openvino
    finally:
        del sys.modules[_TELEMETRY]
        if installed is not None:
            sys.modules[_TELEMETRY] = installed
    module: ModuleType = openvino
    return module


openvino = _import_quietly()
