"""Rank the questions that the rules make for one span."""

from __future__ import annotations

from qsquared.method.question_rules.clause import find_clause
from qsquared.method.question_rules.forms import Draft, drafts, identities
from qsquared.method.question_rules.insitu import in_place
from qsquared.method.question_rules.realise import realise
from qsquared.method.question_rules.slot import Slot, find_slot
from qsquared.method.question_rules.tree import Tree, overlapping, plant, sentence_of
from qsquared.method.question_rules.wh import WhPhrase, narrow_phrase, wh_phrases
from qsquared.records import GeneratedQuestion, ParsedText, Span

RULES_VERSION = 1
"""Raised whenever a rule would give another question."""


def generate(parsed: ParsedText, span: Span, limit: int = 5) -> list[GeneratedQuestion]:
    """Questions on the sentence that holds the span, whose answer is the span.

    They are distinct and ordered from the most natural and specific; the last one asks in place
    ("The show aired when?"), which a reading model answers by its overlap with the text.
    A span with a letter or digit has at least one question, any other span has none.

    Args:
        parsed: the whole response.
        span: offsets into it.
        limit: most questions, at least 1.
    """
    overlap = overlapping(parsed, span)
    if not overlap or not any(c.isalnum() for c in parsed.text[span.start : span.end]):
        return []
    tree = plant(parsed, *sentence_of(parsed, overlap[0]))
    ranked, last = _drafts(tree, span, overlap)
    questions: dict[str, GeneratedQuestion] = {}
    for form, pieces in ranked:
        _add(questions, tree, form, pieces)
    kept = list(questions.values())[: max(limit - 1, 1)]
    questions = {question.question.casefold(): question for question in kept}
    if len(kept) < limit:
        _add(questions, tree, *last)
    return list(questions.values())


def _add(
    questions: dict[str, GeneratedQuestion], tree: Tree, form: str, pieces: tuple[int | str, ...]
) -> None:
    text = realise(tree, pieces)
    questions.setdefault(text.casefold(), GeneratedQuestion(text, None, form))


def _drafts(tree: Tree, span: Span, overlap: list[int]) -> tuple[list[Draft], Draft]:
    """The questions in order, and the one in place."""
    slot = find_slot(tree, span, overlap)
    if slot is None:
        bare = WhPhrase(("what",), frozenset(i for i in overlap if i in tree.words))
        return [], in_place(tree, None, bare)
    clause = find_clause(tree, slot)
    phrases = wh_phrases(tree, slot)
    narrow = narrow_phrase(tree, slot)
    wide = phrases if narrow is None else [*phrases[:2], narrow, *phrases[2:]]
    ranked: list[Draft] = []
    if clause is not None:
        ranked += [draft for wh in wide for draft in drafts(tree, clause, slot, wh)]
    describing = list(identities(tree, slot, clause))
    ranked = describing + ranked if _is_aside(tree, slot) else ranked + describing
    return ranked, in_place(tree, clause, narrow or phrases[0])


def _is_aside(tree: Tree, slot: Slot) -> bool:
    """Whether the span is an apposition or a describing word, which has a question of its own."""
    return tree.dep(slot.anchor) == "appos" or (
        slot.is_modifier and slot.label in {"NORP", "DATE"}
    )
