"""Find training texts that stand in a measuring set, word for word or nearly so."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from qsquared.evaluation.data import loaders
from qsquared.evaluation.data.begin import read_begin
from training.sources.formats import read_jsonl, read_table

RUN = 5
"""Words in a row that count as one shared run."""
SHARED = 0.5
"""A text is dropped if at least this share of its runs stands in the measuring sets."""

_WORD = re.compile(r"\w+")


class MeasuredTexts:
    """The runs of words of the measuring sets' texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._runs: set[int] = set()
        for text in texts:
            self._runs.update(_runs(text))

    def hold(self, *texts: str) -> bool:
        """Whether one of the texts, if it has a run at all, stands in a measuring set."""
        for text in texts:
            runs = list(_runs(text))
            if runs and sum(run in self._runs for run in runs) >= SHARED * len(runs):
                return True
        return False


def _runs(text: str) -> Iterator[int]:
    words = _WORD.findall(text.lower())
    for i in range(len(words) - RUN + 1):
        yield hash(tuple(words[i : i + RUN]))


def texts_of_measuring_sets(data: Path) -> Iterator[str]:
    """Read the knowledge and the replies of all sets that the project measures or chooses by."""
    read = [
        loaders.read_q2_wow(data / "q2-wow"),
        loaders.read_cross_annotation(data / "q2-wow"),
        loaders.read_qags_sentences(data / "qags"),
        read_begin(data / "begin" / "begin_v1_dev.tsv"),
    ]
    for dataset in read:
        for item in dataset.items:
            yield item.knowledge
            yield item.response
    for path in sorted((data / "begin").glob("begin_v2_*.tsv")):
        for row in read_table(path):
            yield row["knowledge"]
            yield row["response"]
    for name in ("replies/wow-judged-dev", "summaries/summedits-dev"):
        for row in read_jsonl(data / "more" / f"{name}.jsonl.gz"):
            yield row["premise"]
            yield row["hypothesis"]
