"""Examples of people's own replies beside their knowledge, and with the questions of the rules.

Most questions come from the rules of ``method/question_generation``, which look neither like SQuAD's nor like QAMR's.
A part is unanswerable: asked beside its text, or after the text was changed.
"""

import random
import re
from collections.abc import Iterable, Iterator, Sequence

from lab.training.examples.perturb import negate
from lab.training.examples.qa import QAExample, swapped, unanswerable
from lab.training.mixture.inference import NOT_ENTAILMENT, Inference
from lab.training.mixture.reading import Reading, split_sentences
from qsquared.language.rule_questions import RuleQuestions
from qsquared.language.spacy_parser import SpacyParser
from qsquared.method.q2.spans import extract_spans
from qsquared.records import QuestionRequest

ENTAILED = 0.85
"""Share of a reply's longer words that stand in the knowledge, at least, to be entailed."""
NOT_ENTAILED = 0.15
"""The share at most to be not entailed."""

_WORD = re.compile(r"\w+")
_STEM = 5
"""Letters that two forms of a word share."""
_CLAIM_WORDS = 5
"""Longer words of the shortest reply that decides anything."""


def reply_judgements(replies: Iterable[tuple[str, str, str]], seed: int) -> Iterator[Inference]:
    """Make pairs of knowledge and reply; ``replies`` are (group, knowledge, reply)."""
    rng = random.Random(seed)
    rows = list(replies)
    for group, knowledge, reply in rows:
        words = [word for word in _WORD.findall(reply.lower()) if len(word) > 3 or word.isdigit()]
        if len(words) < _CLAIM_WORDS:
            continue
        said = {word[:_STEM] for word in _WORD.findall(knowledge.lower())}
        share = sum(word[:_STEM] in said for word in words) / len(words)
        asks = reply.rstrip().endswith("?")
        if share >= ENTAILED and not asks:
            yield Inference(group, knowledge, reply, "entailment")
        elif share <= NOT_ENTAILED:
            yield Inference(group, knowledge, reply, NOT_ENTAILMENT)
        other = rng.choice(rows)
        if rng.random() < 0.3 and other[0] != group and not asks:
            yield Inference(group, other[1], reply, "neutral")


def by_rules(
    readings: Sequence[Reading], parser: SpacyParser, pool: list[str], seed: int
) -> list[QAExample]:
    """Ask one question by the rules on each sentence of the readings (kinds ``rule``, ``rule_…``)."""
    rng = random.Random(seed)
    passages = sorted({(reading.group, reading.text) for reading in readings})
    placed = [
        (group, sentences, i)
        for group, text in passages
        for sentences in [split_sentences(text)]
        for i in range(len(sentences))
    ]
    requests, places = [], []
    parses = parser.parse([sentences[i] for _, sentences, i in placed])
    for place, parsed in zip(placed, parses, strict=True):
        spans = extract_spans(parsed)
        if spans:
            requests.append(QuestionRequest(parsed.text, rng.choice(spans)))
            places.append(place)
    examples: list[QAExample] = []
    asked = RuleQuestions(parser).generate(requests)
    for place, request, questions in zip(places, requests, asked, strict=True):
        if not questions:
            continue
        group, sentences, i = place
        span = request.span
        question = rng.choice(questions[:2]).question
        lead = f"{sentences[i - 1]} " if i and rng.random() < 0.35 else ""
        tail = f" {sentences[i + 1]}" if i + 1 < len(sentences) and rng.random() < 0.35 else ""
        made = QAExample(
            group,
            question,
            f"{lead}{request.context}{tail}",
            len(lead) + span.start,
            len(lead) + span.end,
            "rule",
        )
        reading = Reading(group, question, made.text, (span.text,))
        examples += [made, *_broken(made, reading, sentences, i, pool, rng)]
    return examples


def _broken(
    made: QAExample,
    reading: Reading,
    sentences: list[str],
    place: int,
    pool: list[str],
    rng: random.Random,
) -> list[QAExample]:
    """Make at most one unanswerable twin: the text changed, negated, or another sentence."""
    answer = made.text[made.start : made.end]
    draw = rng.random()
    if draw < 0.4:
        other = swapped(reading, made, pool, rng)
        return [] if other is None else [unanswerable(reading, other.text, "rule_swapped")]
    if draw < 0.5 and made.text == sentences[place]:
        text = negate(made.text, rng)
        return [] if text is None else [unanswerable(reading, text, "rule_negated")]
    others = [s for i, s in enumerate(sentences) if i != place and answer.lower() not in s.lower()]
    if draw < 0.7 and others:
        return [unanswerable(reading, rng.choice(others), "rule_beside")]
    return []
