"""Answer-conditional questions by rules over a dependency parse.

They replace the question generation model of Q² (section 2) where no neural one is at hand.
Each rule makes a question of the one clause that holds the span; the question answering model later
keeps those that it answers with the span.
"""

from qsquared.method.question_generation.generate import (
    CLAUSES,
    LAST_RESORTS,
    RULES_VERSION,
    generate,
)

__all__ = ["CLAUSES", "LAST_RESORTS", "RULES_VERSION", "generate"]
