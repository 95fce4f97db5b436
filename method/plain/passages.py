"""Knowledge in its plain text, for models to read."""

from collections.abc import Sequence

from qsquared.method.plain.markup.blocks import plain_text
from qsquared.method.plain.markup.mapped import Mapped
from qsquared.method.plain.reply import CLAIMS


def read_passages(knowledge: Sequence[str], reading: str | None) -> list[Mapped]:
    """Return the passages as they are read: in plain text beside claims, else as logged.

    A passage that is nothing but marks is read as logged.
    """
    if reading != CLAIMS:
        return [Mapped.of(passage) for passage in knowledge]
    return [
        text if (text := plain_text(passage)).text else Mapped.of(passage) for passage in knowledge
    ]
