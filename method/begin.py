"""BEGIN's taxonomy of replies (Dziri et al. 2021, first version, section 2).

A reply is one of five: entailed by its knowledge, hallucinated, off-topic, generic, or contradicted
by its knowledge.
In the three-way form, which is that of natural language inference, *neutral* merges the middle three.
"""

from collections.abc import Sequence

from qsquared.records import ReplyClasses

ENTAILMENT = "entailment"
HALLUCINATION = "hallucination"
OFF_TOPIC = "off-topic"
GENERIC = "generic"
CONTRADICTION = "contradiction"
NEUTRAL = "neutral"

LABELS = (ENTAILMENT, HALLUCINATION, OFF_TOPIC, GENERIC, CONTRADICTION)
LABELS3 = (ENTAILMENT, NEUTRAL, CONTRADICTION)
NOT_FACTUAL = (GENERIC, OFF_TOPIC)
"""The classes of replies that make no claim on the matter: their low Q² is no falsehood."""

NAMES = ("PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW")
"""Entity types (OntoNotes) of names."""

_DATES = (
    "January|February|April|June|July|August|September|October|November|December|"
    "(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
)
_NUMBERS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|"
    "millions?|billions?|percent|half|twice"
)
# A capital within a sentence begins a name, save for "I".
_NAMES = r"[a-z0-9,;:] +([A-HJ-Z]|I[a-zA-Z])\w"
_CLAIMS = rf"[0-9%€$£]|\b({_DATES})\b|((?i)\b({_NUMBERS})\b)|{_NAMES}"
"""A pattern of DuckDB for a number, a date or a name."""


def chit_chat_sql(label: str, response: str, contradicted: str, named: str) -> str:
    """Return SQL for whether a reply is chit-chat: generic or off-topic, and without a claim.

    The classifier errs, so a reply that names something which can be wrong is none: a number, a date
    or a name, or a span that the knowledge contradicts.
    It is NULL for a reply without a class.

    Args:
        label: SQL for the reply's class.
        response: SQL for its text.
        contradicted: SQL for the number of its contradicted questions, or NULL.
        named: SQL for whether one of its spans is a name.
    """
    labels = ", ".join(f"'{name}'" for name in NOT_FACTUAL)
    return (
        f"(CASE WHEN {label} IS NOT NULL THEN {label} IN ({labels}) "
        f"AND coalesce({contradicted}, 0) = 0 AND NOT coalesce({named}, false) "
        f"AND NOT regexp_matches({response}, '{_CLAIMS}') END)"
    )


def three_way(label: str) -> str:
    """Return the three-way label of a five-way one."""
    return label if label in {ENTAILMENT, CONTRADICTION} else NEUTRAL


def by_label(classes: ReplyClasses) -> dict[str, float]:
    """Return label → probability, in the order of `LABELS`."""
    return {
        ENTAILMENT: classes.entailment,
        HALLUCINATION: classes.hallucination,
        OFF_TOPIC: classes.off_topic,
        GENERIC: classes.generic,
        CONTRADICTION: classes.contradiction,
    }


def best_label(classes: ReplyClasses) -> str:
    """Return the most probable of the five labels; on a tie the first in `LABELS`."""
    probabilities = by_label(classes)
    return max(LABELS, key=lambda label: probabilities[label])


def best_label3(classes: ReplyClasses) -> str:
    """Return the most probable three-way label: *neutral* has the sum of the three that it merges."""
    merged = dict.fromkeys(LABELS3, 0.0)
    for label, probability in by_label(classes).items():
        merged[three_way(label)] += probability
    return max(LABELS3, key=lambda label: merged[label])


def mean_classes(parts: Sequence[ReplyClasses]) -> ReplyClasses:
    """Average the probabilities of a reply's pieces."""
    columns = zip(*(by_label(part).values() for part in parts), strict=True)
    return ReplyClasses(*(sum(column) / len(parts) for column in columns))


def decisive(runs: Sequence[ReplyClasses]) -> ReplyClasses:
    """Return the judgement of the run of a long knowledge text that speaks most clearly for or against the reply."""
    return max(runs, key=lambda run: run.entailment + run.contradiction)
