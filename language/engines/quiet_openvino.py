"""OpenVINO without its telemetry: by itself it reports each import to a server, unless told not to.

Whoever needs the package imports it from here; it takes the absence of its telemetry for a choice.
"""

from qsquared.language.running.hidden import hidden

with hidden("openvino_telemetry"):
    import openvino

__all__ = ["openvino"]
