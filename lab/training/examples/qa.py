"""Examples of question answering: short texts, and several kinds of unanswerable questions.

The metric asks about single replies and short passages, so paragraphs are cut to windows of one
to three sentences.
Unanswerable are: SQuAD 2.0's own; a question beside the text that it was asked about; a question
whose name or number was swapped in the text; and a question on a text that was negated.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from lab.training.examples.perturb import names_in, negate, share_words
from lab.training.mixture.reading import Reading, split_sentences

_NEGATED = re.compile(r"\b(?:not|never)\b|n't\b")
_WORD = re.compile(r"\w+")
_STOP = frozenset(
    [
        "a", "an", "the", "of", "in", "on", "at", "to", "for", "by", "with", "and", "or", "is", "are",
        "was", "were", "be", "been", "did", "do", "does", "what", "which", "who", "whom", "whose",
        "when", "where", "why", "how", "many", "much", "that", "this", "it", "its", "as", "from",
        "has", "have", "had",
    ]
)  # fmt: skip
"""Words that say nothing of a sentence's matter."""


@dataclass(frozen=True, slots=True)
class QAExample:
    """A question on a text; ``start`` and ``end`` are character offsets, ``-1`` if unanswerable."""

    group: str
    question: str
    text: str
    start: int
    end: int
    kind: str


def _content_words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in _STOP}


def _window(sentences: list[str], centre: int, rng: random.Random) -> str:
    before, after = rng.choice([(0, 0), (0, 0), (0, 1), (1, 0), (1, 1)])
    return " ".join(sentences[max(0, centre - before) : centre + after + 1])


def _answered(reading: Reading, text: str, answer: str, kind: str) -> QAExample | None:
    match = re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text)
    if match is None:
        return None
    return QAExample(reading.group, reading.question, text, match.start(), match.end(), kind)


def unanswerable(reading: Reading, text: str, kind: str) -> QAExample:
    """Make an example of a question on a text that does not answer it."""
    return QAExample(reading.group, reading.question, text, -1, -1, kind)


def read_whole(reading: Reading, kind: str) -> QAExample | None:
    """Make an example of a question on its whole text; ``None`` where its answer is not in it."""
    if not reading.answers:
        return unanswerable(reading, reading.text, kind)
    return _answered(reading, reading.text, reading.answer, kind)


def _squad_windows(reading: Reading, rng: random.Random) -> Iterable[QAExample]:
    sentences = split_sentences(reading.text)
    words = _content_words(reading.question)
    overlap = [len(words & _content_words(sentence)) for sentence in sentences]
    if not reading.answers:
        best = max(range(len(sentences)), key=lambda i: (overlap[i], -i))
        yield unanswerable(reading, _window(sentences, best, rng), "squad2")
        return
    answer = reading.answer
    holding = [i for i, sentence in enumerate(sentences) if answer in sentence]
    if not holding:
        return
    best = max(holding, key=lambda i: (overlap[i], -i))
    example = _answered(reading, _window(sentences, best, rng), answer, "squad")
    if example is not None:
        yield example
    others = [
        i
        for i, sentence in enumerate(sentences)
        if i != best and not any(a in sentence for a in reading.answers)
    ]
    if others and rng.random() < 0.5:
        neighbour = max(others, key=lambda i: (overlap[i], -abs(i - best)))
        yield unanswerable(reading, sentences[neighbour], "beside")


def swapped(
    reading: Reading, example: QAExample, pool: list[str], rng: random.Random
) -> QAExample | None:
    """Swap in the text a name or number that the question mentions and the answer does not."""
    answer = example.text[example.start : example.end]
    shared = [
        name
        for name in [*names_in(example.text), *re.findall(r"\b\d{2,}\b", example.text)]
        if name in reading.question and name not in answer and answer not in name
    ]
    if not shared:
        return None
    old = rng.choice(shared)
    new = (
        str(int(old) + rng.choice([-1, 1]) * rng.choice([1, 2, 4, 7, 10, 30]))
        if old.isdigit()
        else rng.choice(pool)
    )
    if share_words(new, old):
        return None
    return unanswerable(reading, example.text.replace(old, new), "swapped")


def _from_squad(squad: list[Reading], pool: list[str], rng: random.Random) -> Iterable[QAExample]:
    for reading in squad:
        made = list(_squad_windows(reading, rng))
        yield from made
        for example in made[:1]:
            if example.start >= 0:
                changed = swapped(reading, example, pool, rng)
                if changed is not None:
                    yield changed
                if rng.random() < 0.1 and not _NEGATED.search(reading.question):
                    denied = negate(example.text, rng)
                    if denied is not None and len(split_sentences(denied)) == 1:
                        yield unanswerable(reading, denied, "negated")


def _from_qamr(qamr: list[Reading], pool: list[str], rng: random.Random) -> Iterable[QAExample]:
    by_article: dict[str, list[str]] = defaultdict(list)
    for reading in qamr:
        article = reading.group.rpartition(":")[0]
        if reading.text not in by_article[article]:
            by_article[article].append(reading.text)
    texts = sorted({reading.text for reading in qamr})
    for reading in qamr:
        example = _answered(reading, reading.text, reading.answer, "qamr")
        if example is None:
            continue
        yield example
        draw = rng.random()
        if draw < 0.15:
            near = [t for t in by_article[reading.group.rpartition(":")[0]] if t != reading.text]
            other = rng.choice(near or texts)
            if not any(a in other for a in reading.answers):
                yield unanswerable(reading, other, "beside")
        elif draw < 0.5:
            changed = swapped(reading, example, pool, rng)
            if changed is not None:
                yield changed


def name_pool(readings: Iterable[Reading]) -> list[str]:
    """Return the names to swap in: all names in the texts."""
    return sorted({name for text in {r.text for r in readings} for name in names_in(text)})


def make_qa_examples(squad: list[Reading], qamr: list[Reading], seed: int) -> list[QAExample]:
    """Make all examples, answerable and not, in a seeded order."""
    rng = random.Random(seed)
    pool = name_pool([*squad, *qamr])
    examples = [*_from_squad(squad, pool, rng), *_from_qamr(qamr, pool, rng)]
    rng.shuffle(examples)
    return examples
