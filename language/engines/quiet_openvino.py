"""OpenVINO without its telemetry: by itself it reports each import to a server, unless told not to.

Whoever needs the package imports it from here; it takes the absence of its telemetry for a choice.
"""

from types import ModuleType

from qsquared.language.running.hidden import hidden


def _import_quietly() -> ModuleType:
    with hidden("openvino_telemetry"):
        import openvino
    module: ModuleType = openvino
    return module


openvino = _import_quietly()
