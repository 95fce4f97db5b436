"""Score whether replies of a chatbot say only what their knowledge supports (Q²)."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qsquared.api import Explanation, OpenedStore, Scores, explain, score
    from qsquared.api import open_store as open  # noqa: A004

__all__ = ["Explanation", "OpenedStore", "Scores", "__version__", "explain", "open", "score"]

__version__ = version("qsquared")


def __getattr__(name: str) -> Any:
    """Import the interface for notebooks at its first use, as its libraries take seconds."""
    if name in __all__:
        from qsquared import api

        return getattr(api, "open_store" if name == "open" else name)
    raise AttributeError(f"module 'qsquared' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
