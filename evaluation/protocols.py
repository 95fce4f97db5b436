"""The protocols by name: what is read, what is run on it, what is reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from qsquared.evaluation import protocols_others as others
from qsquared.evaluation import protocols_q2 as of_q2
from qsquared.evaluation.items import Dataset
from qsquared.evaluation.loaders import LOADERS
from qsquared.evaluation.measured import MAIN_RUN, Measured
from qsquared.evaluation.report import Chart, ResultTable
from qsquared.evaluation.scoring import Run


@dataclass(frozen=True, slots=True)
class Protocol:
    """How one dataset is measured; the first run is the main one."""

    name: str
    meaning: str
    read: Callable[[Path], Dataset]
    runs: tuple[Run, ...]
    tables: Callable[[Measured], list[ResultTable]]
    charts: Callable[[Measured], list[Chart]] = lambda _measured: []


_ALL = (
    Protocol(
        "q2-wow",
        "the Q² paper's 600 annotated responses",
        LOADERS["q2-wow"],
        of_q2.WOW_RUNS,
        of_q2.wow_tables,
        of_q2.wow_charts,
    ),
    Protocol(
        "q2-system-level",
        "simulated systems from its cross annotation",
        LOADERS["q2-system-level"],
        (MAIN_RUN,),
        of_q2.system_tables,
    ),
    Protocol(
        "q2-random-knowledge",
        "its responses with knowledge that is not theirs",
        LOADERS["q2-random-knowledge"],
        (of_q2.RANDOM_RUN,),
        of_q2.random_tables,
    ),
    Protocol(
        "topical-chat",
        "USR's annotations of Topical-Chat",
        LOADERS["topical-chat"],
        (MAIN_RUN,),
        others.topical_tables,
    ),
    Protocol("dnli", "Dialogue NLI", LOADERS["dnli"], (others.DNLI_RUN,), others.dnli_tables),
    Protocol(
        "qags-cnndm",
        "QAGS' CNN/DM summaries",
        LOADERS["qags-cnndm"],
        others.QAGS_RUNS,
        others.qags_tables,
    ),
    Protocol(
        "qags-xsum",
        "QAGS' XSUM summaries",
        LOADERS["qags-xsum"],
        others.QAGS_RUNS,
        others.qags_tables,
    ),
    Protocol(
        "ranking",
        "sentence triplets of Falke et al. 2019",
        LOADERS["ranking"],
        (others.RANKING_RUN,),
        others.ranking_tables,
    ),
    Protocol(
        "binary",
        "any file with knowledge, response and a 0/1 label",
        LOADERS["binary"],
        (MAIN_RUN,),
        others.binary_tables,
        others.binary_charts,
    ),
)
PROTOCOLS = {protocol.name: protocol for protocol in _ALL}
