"""Target of an export: the rows that it makes of an explained turn, and their schema."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from qsquared.method.q2.explaining.attribution import worst
from qsquared.storage.outputs.explanations import ExplainedTurn

Row = dict[str, Any]
FALLBACK_LABELS = {
    "entailment": "supported",
    "neutral": "no_answer",
    "contradiction": "contradicted",
}


@dataclass(frozen=True, slots=True)
class Target:
    """A format of exports.

    ``rows`` makes rows of a turn and the name of the profile; none for a turn that the target has no
    place for (``needs`` says what it would need).
    ``files`` are the extensions that it can be written to; ``schema`` is that of the tables, None for
    a target that is JSON alone.
    ``document`` wraps many rows into one JSON document, where the target wants that.
    """

    name: str
    meaning: str
    files: tuple[str, ...]
    rows: Callable[[ExplainedTurn, str], Sequence[Row]]
    schema: pa.Schema | None = None
    needs: str = ""
    document: Callable[[Sequence[Row]], Row] | None = None


def label_of(one: ExplainedTurn) -> str:
    """A turn's result in a word: the worst verdict of its questions, or the fallback's.

    An unscored turn has its status.
    """
    explanation = one.explanation
    if explanation.q2 is None:
        return explanation.status
    if explanation.status == "fallback_nli":
        return FALLBACK_LABELS.get(explanation.nli_label or "", "no_answer")
    return worst(span.verdict for span in explanation.spans) or "supported"


def probability_of(one: ExplainedTurn) -> float | None:
    """The probability of an inconsistent turn by the calibration that was asked for, if any."""
    return None if one.calibrated is None else one.calibrated["probability"]


def text_or_none(value: Any) -> str | None:
    """A text of a turn's metadata, None if it is anything else."""
    return value if isinstance(value, str) and value else None


def metadata_of(one: ExplainedTurn, profile: str) -> Row:
    """Return the facts that programs which know scores only get beside the score of a turn."""
    return {
        "status": one.explanation.status,
        "profile": profile,
        "questions": len(one.explanation.kept),
        "turn": one.turn["id"],
        "probability": probability_of(one),
    }
