"""Near ties of a lower precision, which are settled in float32: of two spans, of an answer and none, of two labels."""

from qsquared.profiles.model_parameters import Precision
from qsquared.records import Judgement

READINGS: dict[Precision, float] = {"fp32": 0.0, "bf16": 0.02, "int8": 0.04}
"""Readings nearer than this are decided in float32; a share of the spread of their logits;
nearly all readings of the shipped models that a lower precision changed were nearer."""

JUDGEMENTS = 0.05
"""Judgements whose two greatest probabilities are nearer than this are decided in float32."""


def is_close_reading(above: float, lead: float, spread: float, precision: Precision) -> bool:
    """Whether a small rounding error could choose another span, or turn an answer into none.

    Args:
        above: how far no answer is above the score at which it wins, in logits.
        lead: how far the best span is above the next best one, in logits.
        spread: how much the logits vary.
        precision: of the reader.
    """
    near = READINGS[precision] * spread
    if above > near:
        return False  # no answer, whichever span is best
    return above > -near or lead < near


def is_close_judgement(judgement: Judgement) -> bool:
    """Whether a small rounding error could give the judgement another label."""
    values = (judgement.entailment, judgement.neutral, judgement.contradiction)
    _, second, first = sorted(values)
    return first - second < JUDGEMENTS
