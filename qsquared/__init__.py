"""Score whether replies of a chatbot say only what their knowledge supports (Q²)."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qsquared.api import Explanation, explain, score

__all__ = ["Explanation", "__version__", "explain", "score"]

__version__ = version("qsquared")


def __getattr__(name: str) -> Any:
    """Import the interface for notebooks at its first use, as its libraries take seconds."""
    if name in {"Explanation", "explain", "score"}:
        from qsquared import api

        return getattr(api, name)
    raise AttributeError(f"module 'qsquared' has no attribute {name!r}")
