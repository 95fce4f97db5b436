"""Find training texts that stand in a measuring set, word for word or nearly so."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lab.training.mixture.reading import read_jsonl, read_table
from qsquared.evaluation.data import loaders
from qsquared.evaluation.data.files import Dataset
from qsquared.evaluation.data.loaders import read_begin
from qsquared.evaluation.data.usr import read_usr

RUN = 5
"""Words in a row that count as one shared run."""
SHARED = 0.5
"""A text is dropped if at least this share of its runs stands in the measuring sets."""

_ITEMS: dict[str, Callable[[Path], Dataset]] = {
    "q2-wow": lambda data: loaders.read_q2_wow(data / "q2-wow"),
    "cross-annotation": lambda data: loaders.read_cross_annotation(data / "q2-wow"),
    "qags-cnndm": lambda data: loaders.read_qags_sentences(data / "qags"),
    "begin": lambda data: read_begin(data / "begin" / "begin_v1_dev.tsv"),
    "topical-chat": lambda data: loaders.read_topical_chat(data / "topical-chat-usr"),
    "ranking": lambda data: loaders.read_ranking(data / "more" / "ranking"),
    "usr": lambda data: read_usr(data / "more" / "usr"),
}
_TO_CHOOSE_BY = {"wow-judged-dev": "replies", "summedits-dev": "summaries"}
_COLUMNS = ("knowledge", "response", "premise", "hypothesis", "sentence_A", "sentence_B")
SETS = (*_ITEMS, "begin-2022", "sick", *_TO_CHOOSE_BY)
"""The names of the sets that the project measures or chooses by."""

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
    """Read the knowledge and the replies of all sets that the project measures or chooses by.

    GLUE's parts for measuring are not among them: ``lab/training/mixture/glue.py`` keeps them apart.
    """
    for name in SETS:
        yield from _texts(name, data)


def _texts(name: str, data: Path) -> Iterator[str]:
    if name in _ITEMS:
        for item in _ITEMS[name](data).items:
            yield from (item.knowledge, item.response)
        return
    rows: Iterable[Mapping[str, Any]]
    if name == "begin-2022":
        paths = sorted((data / "begin").glob("begin_v2_*.tsv"))
        rows = (row for path in paths for row in read_table(path))
    elif name == "sick":
        rows = read_table(data / "sick" / "SICK.txt")
    else:
        rows = read_jsonl(data / "more" / _TO_CHOOSE_BY[name] / f"{name}.jsonl.gz")
    for row in rows:
        yield from (str(row[column]) for column in _COLUMNS if column in row)
