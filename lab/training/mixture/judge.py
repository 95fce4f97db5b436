"""Gather the judge's training examples from all sources of the mixture."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lab.training.claims.balance import claim_pairs
from lab.training.examples.nli import answer_pairs, pronoun_pairs, sentence_pairs
from lab.training.examples.replies import reply_judgements, reply_pairs
from lab.training.mixture.draw import Drawn, draw
from lab.training.mixture.measured_texts import MeasuredTexts
from lab.training.mixture.readings import Readings
from lab.training.mixture.sources import Source
from lab.training.sources import collected
from lab.training.sources.inference import (
    Inference,
    read_conjnli,
    read_fever_symmetric,
    read_mrpc,
    read_rte,
    read_snli,
)

FORMATS: Mapping[str, Callable[[Path, str], Iterable[Inference]]] = {
    "pairs": collected.read_pairs,
    "made-neutrals": collected.read_made_neutrals,
    "judged-answers": collected.read_judged_answers,
    "snli": lambda path, _: read_snli(path),
    "conjnli": lambda path, _: read_conjnli(path),
    "fever-symmetric": lambda path, _: read_fever_symmetric(path),
    "rte": lambda path, _: read_rte(path),
    "mrpc": lambda path, _: read_mrpc(path),
}
MADE: Mapping[str, Callable[[Readings, int], Iterable[Inference]]] = {
    "made-replies": lambda readings, seed: reply_pairs(readings.all(), readings.frames.get, seed),
    "made-answers": lambda readings, seed: answer_pairs(readings.all(), seed),
    "made-pronouns": lambda readings, seed: pronoun_pairs(readings.all(), seed),
    "made-sentences": lambda readings, seed: sentence_pairs(
        sorted({(r.group, r.text) for r in readings.all()}), seed
    ),
}
"""Formats that are made of the readings instead of being read."""


def judge_examples(
    sources: Mapping[str, Source],
    readings: Readings,
    data: Path,
    measured: MeasuredTexts,
    seed: int,
) -> Drawn[Inference]:
    """Read, make, clean and draw the judge's examples.

    Raises:
        KeyError: the mixture names a format that is not known.
    """

    def examples(source: Source) -> Iterable[Inference]:
        if source.format in MADE:
            return MADE[source.format](readings, seed)
        if source.format == "claims":
            return claim_pairs(seed)
        if source.format == "real-replies":
            replies = collected.read_real_replies(data / source.path, source.name)
            return reply_judgements(replies, seed)
        return FORMATS[source.format](data / source.path, source.name)

    read = {name: examples(source) for name, source in sources.items() if source.take != 0}
    return draw(sources, read, measured, seed)
