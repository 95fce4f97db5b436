"""Rank the questions that the rules make for one span.

The question of last resort is the statement itself, with a wh-phrase in place of the span.
"""

from qsquared.method.question_generation.forms import drafts, identities, sizes, subjects
from qsquared.method.question_generation.fronting import pied_piped
from qsquared.method.question_generation.realise import realise
from qsquared.method.question_generation.sentence.clause import Clause, find_clause
from qsquared.method.question_generation.sentence.cut import cut
from qsquared.method.question_generation.sentence.mistagged_verbs import mended
from qsquared.method.question_generation.sentence.slot import Slot, find_slot
from qsquared.method.question_generation.sentence.tree import (
    Draft,
    Piece,
    Tree,
    between_marks,
    in_case,
    overlapping,
    plant,
    replaced,
    sentence_of,
)
from qsquared.method.question_generation.wh_phrases import (
    WhPhrase,
    conjunct_phrase,
    narrow_phrase,
    wh_phrases,
    what_else,
)
from qsquared.records import GeneratedQuestion, ParsedText, Span

LONGEST = 40
"""Most tokens of a question in place; a longer clause is cut to a window around the span."""

_BREAKS = frozenset(
    {",", ";", ":", ".", "!", "?", "(", ")", "-", "--", "\u2013", "\u2014", "\u2026", "..."}
)


def in_place(tree: Tree, clause: Clause | None, wh: WhPhrase) -> Draft:
    """Return the clause with the wh-phrase in place of the span, or the words around the span."""
    pieces: tuple[Piece, ...] = () if clause is None else clause.pieces
    if clause is not None and not clause.is_reduced and wh.replaces & set(pieces):
        if clause.borrowed:
            pieces = (*clause.subject, *clause.borrowed, *clause.body, *clause.tail)
        elif clause.is_inverted:
            pieces = tuple(sorted(i for i in pieces if isinstance(i, int)))
        if len(pieces) <= LONGEST:
            return "in_place", replaced(pieces, wh.replaces, wh.pieces)
    window = between_marks(
        tree.indices, wh.replaces, lambda i: tree.lower(i) in _BREAKS, LONGEST // 2
    )
    return "window", replaced(tuple(window), wh.replaces, wh.pieces)


_MEASURES = frozenset({"CARDINAL", "PERCENT", "MONEY", "QUANTITY"})
_ADVERBIAL = frozenset({"DATE", "TIME", "ORDINAL"})
"""Types of spans that can be adverbs: "today", "first"."""

RULES_VERSION = 2
"""Raised whenever a rule would give another question."""

CLAUSES = "clauses/3"
"""The rules by which a sentence is cut into clauses; raised whenever they would cut elsewhere."""

LAST_RESORTS = frozenset({"inner_object", "subject_part"})
"""Forms of questions that take a noun phrase apart, as no person would ask."""


def generate(
    parsed: ParsedText, span: Span, limit: int = 5, *, own_clause: bool = False
) -> list[GeneratedQuestion]:
    """Return questions on the sentence that holds the span, whose answer is the span.

    They are distinct and ordered from the most natural and specific; the last one asks in place
    ("The show aired when?"), which a reading model answers by its overlap with the text.
    A span with a letter or digit has at least one question, any other span has none.

    Args:
        parsed: the whole response.
        span: offsets into it.
        limit: most questions, at least 1.
        own_clause: whether the clause of the span is cut out of the sentence first.
    """
    overlap = overlapping(parsed, span)
    if not overlap or not any(c.isalnum() for c in parsed.text[span.start : span.end]):
        return []
    lettered = (i for i in overlap if any(c.isalnum() for c in parsed.tokens[i].text))
    tree = plant(parsed, *sentence_of(parsed, next(lettered, overlap[0])))
    if own_clause:
        tree = cut(mended(tree), frozenset(overlap) & tree.words.keys())
    ranked, last = _drafts(tree, span, overlap)
    questions: dict[str, GeneratedQuestion] = {}
    before_last = max(limit - 1, 1)
    for (form, pieces), most in [*((draft, before_last) for draft in ranked), (last, limit)]:
        if len(questions) < most:
            text = realise(tree, in_case(tree, pieces) if own_clause else pieces)
            questions.setdefault(text.casefold(), GeneratedQuestion(text, None, form))
    return list(questions.values())


def _drafts(tree: Tree, span: Span, overlap: list[int]) -> tuple[list[Draft], Draft]:
    """Return the questions in order, and the one in place."""
    slot = find_slot(tree, span, overlap)
    if slot is None:
        bare = WhPhrase(("what",), frozenset(i for i in overlap if i in tree.words))
        return [], in_place(tree, None, bare)
    clause = find_clause(tree, slot) if _can_be_asked_for(tree, slot) else None
    phrases = wh_phrases(tree, slot)
    narrow = narrow_phrase(tree, slot)
    wide = list(phrases)
    if narrow is not None and slot.preposition is None:
        # After a stranded preposition what follows the span would read "one of of the ...".
        wide.insert(0 if tree.is_cut and narrow.leaves_phrase else 2, narrow)
    ranked: list[Draft] = []
    if clause is not None:
        ranked += [draft for wh in wide for draft in drafts(tree, clause, slot, wh)]
    describing = list(identities(tree, slot, clause))
    ranked = describing + ranked if _is_aside(tree, slot) else ranked + describing
    if tree.is_cut:
        ranked = [*sizes(tree, slot, clause), *ranked]
    # "How" alone asks for the preposition, too.
    plain = next((wh for wh in phrases if wh.pieces != ("how",)), phrases[0])
    wh = conjunct_phrase(tree, slot) or narrow or plain
    if tree.is_cut and clause is not None:
        rest = None if clause.is_inverted else what_else(tree, slot)
        ranked += [] if rest is None else drafts(tree, clause, slot, rest)
        ranked += pied_piped(tree, clause, slot, wh)
    if clause is not None and slot.phrase in clause.subject:
        # The subject's wh-phrase is in its place anyway; only its verb must agree.
        return ranked, next(subjects(tree, clause, wh), in_place(tree, clause, wh))
    if tree.tag(slot.head) in {"WP", "WDT"} or (
        clause is not None and not tree.is_verb(clause.verb)
    ):
        clause = None
    return ranked, in_place(tree, clause, wh)


def _can_be_asked_for(tree: Tree, slot: Slot) -> bool:
    """Whether the parse took the span for a thing, a time or a measure, unlike "first made"."""
    is_measure = slot.label in _ADVERBIAL or (tree.is_cut and slot.label in _MEASURES)
    return tree.is_nominal(slot.head) or slot.is_modifier or is_measure


def _is_aside(tree: Tree, slot: Slot) -> bool:
    """Whether the span is an apposition or a describing word, which has a question of its own."""
    return tree.dep(slot.anchor) == "appos" or (slot.is_modifier and slot.label in {"NORP", "DATE"})
