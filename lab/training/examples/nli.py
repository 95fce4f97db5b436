"""Examples of inference in the two forms of the metric: answers and full sentences.

The comparison stage asks about "question answer." pairs; SQuAD's several annotators give
equivalent answers, other spans of the same type give contradicted ones.
The fallback asks about whole replies; sentences of a passage and their perturbed copies give
entailed, contradicted and unrelated hypotheses.
"""

import random
import re

from lab.training.examples.perturb import (
    change_name,
    change_number,
    names_in,
    negate,
    share_words,
)
from lab.training.mixture.inference import Inference
from lab.training.mixture.reading import Reading, split_sentences

_NUMERIC = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve)\b", re.IGNORECASE
)
_PERSONS = ("he", "she", "him", "her", "they", "them", "He", "She", "They")
_THINGS = ("it", "they", "them", "this", "It", "They", "these")


def type_of(answer: str) -> str:
    """Return `number`, `name` or `phrase`, by the look of an answer."""
    if _NUMERIC.search(answer):
        return "number"
    return "name" if answer[:1].isupper() else "phrase"


def _pair(reading: Reading, given: str, claimed: str, label: str) -> Inference:
    """Pair two answers to a question in the form in which the metric asks."""
    premise, hypothesis = (f"{reading.question} {answer}." for answer in (given, claimed))
    return Inference(reading.group, premise, hypothesis, label)


def answer_pairs(readings: list[Reading], seed: int) -> list[Inference]:
    """Make pairs in the "question answer." form from questions with several annotators."""
    rng = random.Random(seed)
    by_text: dict[str, dict[str, list[str]]] = {}
    for reading in readings:
        kinds = by_text.setdefault(reading.text, {})
        for answer in dict.fromkeys(reading.answers):
            kinds.setdefault(type_of(answer), []).append(answer)
    pairs: list[Inference] = []
    for reading in readings:
        answers = sorted(set(reading.answers))
        if not answers:
            continue
        first = rng.choice(answers)
        others = [a for a in answers if a.lower() != first.lower()]
        if others:
            second = rng.choice(others)
            pairs.append(_pair(reading, first, second, "entailment"))
        same_type = by_text[reading.text][type_of(first)]
        candidates = [a for a in same_type if not share_words(a, " ".join(answers))]
        wrong = rng.choice(candidates) if candidates else change_number(first, rng)
        if wrong:
            given, claimed = (first, wrong) if rng.random() < 0.5 else (wrong, first)
            pairs.append(_pair(reading, given, claimed, "contradiction"))
    return pairs


def pronoun_pairs(readings: list[Reading], seed: int) -> list[Inference]:
    """Make entailed pairs in which one answer is a pronoun that may stand for the other.

    Replies are full of pronouns, and the span "it" asks the same question as the name does.
    """
    rng = random.Random(seed)
    pairs: list[Inference] = []
    for reading in readings:
        if not reading.answers:
            continue
        answer = rng.choice(reading.answers)
        kind = type_of(answer)
        asks_who = reading.question.lower().startswith(("who", "whom"))
        if kind == "number" or rng.random() < 0.5:
            continue
        pronoun = rng.choice(_PERSONS if asks_who else _THINGS)
        given, claimed = (answer, pronoun) if rng.random() < 0.7 else (pronoun, answer)
        pairs.append(_pair(reading, given, claimed, "entailment"))
    return pairs


def _trimmed(sentence: str, rng: random.Random) -> str:
    """Leave a clause out at a comma; the sentence still says the rest."""
    parts = sentence.split(", ")
    if len(parts) < 2:
        return sentence
    return ", ".join(parts[: rng.randint(1, len(parts) - 1)]).rstrip(".") + "."


def sentence_pairs(texts: list[tuple[str, str]], seed: int) -> list[Inference]:
    """Make pairs of a passage and a sentence; ``texts`` are (group, passage)."""
    rng = random.Random(seed)
    pool = sorted({name for _, text in texts for name in names_in(text)})
    pairs: list[Inference] = []
    for group, text in texts:
        sentences = split_sentences(text)
        drawn = rng.randrange(len(sentences))
        premise = " ".join(sentences[drawn : drawn + rng.choice([1, 1, 2])])
        hypothesis = _trimmed(sentences[drawn], rng)
        pairs.append(Inference(group, premise, hypothesis, "entailment"))
        edits = [
            change_number(hypothesis, rng),
            change_name(hypothesis, pool, rng),
            negate(hypothesis, rng),
        ]
        possible = [edited for edited in edits if edited]
        if possible:
            pairs.append(Inference(group, premise, rng.choice(possible), "contradiction"))
        others = [s for i, s in enumerate(sentences) if i not in (drawn, drawn + 1)]
        if others and len(others[0]) > 20:
            pairs.append(Inference(group, premise, _trimmed(rng.choice(others), rng), "neutral"))
    return pairs
