"""Choose wh-words for a span by entity type, then by pronoun, head noun and preposition."""

import re
from collections.abc import Callable

from qsquared.method.question_generation.sentence.slot import Slot
from qsquared.method.question_generation.sentence.tree import Tree
from qsquared.method.question_generation.sentence.words import WORDS

Words = tuple[str, ...]

_YEAR = re.compile(r"[12]\d{3}")
_YEAR_WITHIN = re.compile(r"\b[12]\d{3}\b")
_CLOCK = re.compile(r"\d{1,2}:\d{2}")
_DECADE = re.compile(r"\d0\s?['\u2019]?\s?s\b")
_LABELS: dict[str, Words] = {
    "PERSON": ("who",),
    "ORG": ("what", "what organization"),
    "PRODUCT": ("what", "what product"),
    "EVENT": ("what event", "what"),
    "WORK_OF_ART": ("what", "what work"),
    "LAW": ("what law", "what"),
    "LANGUAGE": ("what language",),
    "NORP": ("what group", "who"),
    "MONEY": ("how much", "what"),
    "ORDINAL": ("what position", "what"),
    "PERCENT": ("what percentage",),
    "CARDINAL": ("how many",),
}


def wh_words(tree: Tree, slot: Slot) -> Words:
    """Return wh-words or wh-nouns for a span, most specific first; at least one."""
    return next((words for rule in _RULES if (words := rule(tree, slot))), ("what",))


def is_agent(tree: Tree, slot: Slot) -> bool:
    """Whether the span is the by-phrase of a passive."""
    return slot.preposition is not None and tree.dep(slot.preposition) == "agent"


def is_date(tree: Tree, number: int) -> bool:
    """Whether a number names a time, not a count."""
    return tree.tokens[number].entity == "DATE" or bool(_YEAR.fullmatch(tree.word(number)))


def names_year(tree: Tree, slot: Slot) -> bool:
    """Whether a year is among the words of the span."""
    return any(_YEAR.fullmatch(tree.word(i)) for i in slot.tokens)


def says_where(tree: Tree, slot: Slot) -> bool:
    """Whether "where" can ask for the span and its preposition together.

    In "lives in a village near London" it asks for the first place, never for the second alone.
    """
    if slot.preposition is None or tree.lower(slot.preposition) not in WORDS["place_prepositions"]:
        return False
    head = tree.heads[slot.preposition]
    return not (
        tree.dep(head) == "pobj"
        and tree.tokens[head].entity not in {"DATE", "TIME"}
        and tree.tag(head) in {"NN", "NNS"}
        and tree.lower(tree.heads[head]) in WORDS["place_prepositions"]
    )


def is_share(tree: Tree, slot: Slot) -> bool:
    """Whether the span names a part of something, such as "a third" or "the middle of April"."""
    is_time = slot.label in {"DATE", "TIME"} or _governor(tree, slot) == "per"
    if not tree.is_cut or slot.is_modifier or is_time or tree.dep(slot.anchor) == "npadvmod":
        return False
    word, of = tree.lower(slot.head), tree.children(slot.head, "prep")
    is_part = word in WORDS["part_nouns"] and any(tree.lower(i) == "of" for i in of)
    return is_part or word in WORDS["fractions"]


def _share(tree: Tree, slot: Slot) -> Words:
    if not is_share(tree, slot):
        return ()
    if tree.lower(slot.head) not in WORDS["fractions"]:
        return ("which part", "what")
    whole = [j for i in tree.children(slot.head, "prep") for j in tree.children(i, "pobj")]
    verb = tree.heads[slot.anchor]
    finite = (*tree.children(verb, "aux", "auxpass"), verb)[0]
    is_subject = tree.dep(slot.anchor) in {"nsubj", "nsubjpass"}
    named = {tree.lower(i) for i in whole}
    is_plural = (
        any(map(tree.is_plural, whole))
        or named & {"them", "these", "those"}
        or (is_subject and tree.tag(finite) == "VBP")
    )
    return ("how many" if is_plural else "how much", "what")


def _governor(tree: Tree, slot: Slot) -> str:
    return tree.lower(slot.preposition) if slot.preposition is not None else ""


def _time(tree: Tree, slot: Slot) -> Words:
    text = " ".join(tree.lower(i) for i in sorted(slot.tokens))
    words = set(text.split())
    if slot.label not in {"DATE", "TIME"}:
        if tree.is_cut and words & WORDS["weekdays"]:
            return ("what day", "when")
        return ("what time", "when") if tree.is_cut and _CLOCK.fullmatch(text) else ()
    for matches, asked in (
        (words & WORDS["frequency_words"], ("how often", "when")),
        ("old" in words, ("how old",)),
        ("ago" in words, ("when", "how long ago")),
        (_DECADE.search(text), ("what decade", "when")),
        (_YEAR.fullmatch(text), ("what year", "when")),
        (_YEAR_WITHIN.search(text), ("when", "what date")),
        ("century" in words, ("what century", "when")),
        (words & WORDS["weekdays"], ("what day", "when")),
        (tree.is_cut and _CLOCK.search(text), ("what time", "when")),
        (_lasts(tree, slot, words), ("how long", "what")),
        (slot.label == "TIME", ("what time", "when")),
        (slot.preposition is not None, ("when", "what")),
        (tree.dep(slot.anchor) in {"npadvmod", "advmod"}, ("when", "what")),
    ):
        if matches:
            return asked
    return ("what",)


def _lasts(tree: Tree, slot: Slot, words: set[str]) -> bool:
    """Whether a time is a length and not a point: "five years", but not "in five years"."""
    is_counted = any(tree.tag(i) == "CD" for i in slot.tokens) or bool({"a", "an"} & words)
    at_a_point = _governor(tree, slot) in {"in", "on", "at"}
    return is_counted and bool(words & WORDS["duration_units"]) and not at_a_point


def _place(tree: Tree, slot: Slot) -> Words:
    if slot.label not in {"GPE", "LOC", "FAC"}:
        return ()
    which = f"what {_place_noun(tree, slot)}"
    if says_where(tree, slot) or _governor(tree, slot) in {"from", "to"}:
        return ("where", which)
    return (which, "what")


def _place_noun(tree: Tree, slot: Slot) -> str:
    """Return the kind of place, if a noun beside the name says it."""
    beside = [slot.head, slot.anchor, *tree.children(slot.head, "appos", "compound")]
    if tree.dep(slot.anchor) == "appos":
        beside.append(tree.heads[slot.anchor])
    if tree.is_cut:  # a town hall is no town, Lake Garda is a lake
        beside = [i for i in beside if i == slot.head or tree.lower(i) not in WORDS["of_places"]]
    kinds = (tree.lower(i) for i in beside if tree.lower(i) in WORDS["place_nouns"])
    return next(kinds, "place")


def _measure(tree: Tree, slot: Slot) -> Words:
    """Return words for a measure, by its unit and the words after it."""
    if slot.label == "CARDINAL" and tree.lower(slot.head) == "one":
        return ("which",)
    if slot.label != "QUANTITY":
        return ()
    unit, after = tree.lower(slot.head), max(slot.tokens) + 1
    if unit not in WORDS["distance_units"]:
        return ("how much", "what")
    is_away = after in tree.words and tree.lower(after) in {"from", "away", "to"}
    return ("how far" if is_away else f"how many {unit}", "what")


def _entity(tree: Tree, slot: Slot) -> Words:
    if slot.label == "ORG" and is_agent(tree, slot):
        return ("who", "what organization")
    if slot.label == "ORDINAL" and tree.is_cut and tree.dep(slot.anchor) == "advmod":
        return ("when", "what position")
    return _LABELS.get(slot.label, ())


def _pronoun(tree: Tree, slot: Slot) -> Words:
    word = tree.lower(slot.head)
    if word in WORDS["either_pronouns"]:
        return ("what", "who") if _is_called_thing(tree, slot) else ("who", "what")
    return ("who",) if word in WORDS["person_pronouns"] else ()


def _is_called_thing(tree: Tree, slot: Slot) -> bool:
    """Whether the sentence calls the subject something other than a person."""
    attributes = tree.children(tree.heads[slot.anchor], "attr")
    lemmas = [tree.tokens[i].lemma.lower() for i in attributes]
    return bool(lemmas) and not WORDS["person_nouns"].intersection(lemmas)


def _number(tree: Tree, slot: Slot) -> Words:
    if tree.tag(slot.head) != "CD":
        return ()
    return ("what year", "when") if is_date(tree, slot.head) else ("how many", "what")


def _way_or_unit(tree: Tree, slot: Slot) -> Words:
    """Return words for what a message goes by, and for units, which are no persons."""
    if not tree.is_cut:
        return ()
    if tree.tokens[slot.head].lemma.lower() in WORDS["media"] and _governor(tree, slot) == "by":
        return ("how", "what")
    is_unit = _governor(tree, slot) == "per" or _has_digit(tree, slot)
    return ("what",) if is_unit and tree.tokens[slot.head].pos != "PRON" else ()


def _noun(tree: Tree, slot: Slot) -> Words:
    forms = {tree.lower(slot.head), tree.tokens[slot.head].lemma.lower()}
    if forms & WORDS["person_nouns"] or is_agent(tree, slot):
        return ("who", "what")
    if forms & WORDS["place_nouns"] and says_where(tree, slot):
        return ("where", "what")
    if forms & WORDS["time_nouns"] and _governor(tree, slot) in WORDS["time_prepositions"]:
        return ("when", "what")
    if tree.tag(slot.head) == "NNP":
        return ("what", "who")
    return ("what", f"what kind of {tree.word(slot.head)}") if _has_kind(tree, slot) else ()


def _has_digit(tree: Tree, slot: Slot) -> bool:
    return any(c.isdigit() for i in slot.tokens for c in tree.word(i))


def _has_kind(tree: Tree, slot: Slot) -> bool:
    """Whether an adjective or another noun describes the kind of a noun."""
    if tree.tag(slot.head) not in {"NN", "NNS"} or slot.anchor != slot.head:
        return False
    if tree.lower(slot.head) in WORDS["empty_nouns"]:
        return False
    return any(
        i < slot.head and tree.tokens[i].entity != "ORDINAL" and tree.tag(i) != "JJS"
        for i in tree.children(slot.head, "amod", "compound")
    )


_RULES: tuple[Callable[[Tree, Slot], Words], ...] = (
    _share,
    _time,
    _place,
    _measure,
    _entity,
    _pronoun,
    _number,
    _way_or_unit,
    _noun,
)
