"""Protocols by name: each with its reader, its runs and its tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from qsquared.errors import UsageError
from qsquared.evaluation.data import loaders
from qsquared.evaluation.data.files import Dataset
from qsquared.evaluation.data.loaders import read_begin
from qsquared.evaluation.data.usr import read_indicators, read_usr
from qsquared.evaluation.measured import MAIN_RUN, Measured
from qsquared.evaluation.protocols import begin, others, qags, systems, wow
from qsquared.evaluation.protocols import glue as of_glue
from qsquared.evaluation.report import ResultTable
from qsquared.evaluation.scoring import Run


@dataclass(frozen=True, slots=True)
class Protocol:
    """A way to measure one dataset; the first run is the main one.

    Without runs the data has the values of the measures, and no model is asked.

    ``also`` are the metrics of which a table has rows by the models of further profiles.
    """

    name: str
    meaning: str
    read: Callable[[Path], Dataset]
    runs: tuple[Run, ...]
    tables: Callable[[Measured], list[ResultTable]]
    also: tuple[str, ...] = ()

    def with_profiles(self, names: Sequence[str]) -> Protocol:
        """Add a run of the metrics in ``also`` for each of these profiles.

        Raises:
            UsageError: none of its tables lists them.
        """
        if names and not self.also:
            able = [name for name, one in PROTOCOLS.items() if one.also]
            raise UsageError(
                f"The tables of {self.name} have no rows for further profiles.",
                f"Leave --also-profile out, or use one of: {', '.join(able)}.",
            )
        more = (Run(f"profile {name}", self.also, profile=name) for name in dict.fromkeys(names))
        return replace(self, runs=(*self.runs, *more))


_Q2 = (MAIN_RUN,)
_ALL = (
    Protocol("q2-wow", "the Q² paper's 600 annotated responses",
             loaders.read_q2_wow, wow.WOW_RUNS, wow.wow_tables, also=("q2",)),
    Protocol("q2-system-level", "simulated systems from its cross annotation",
             loaders.read_cross_annotation, _Q2, systems.system_tables, also=("q2",)),
    Protocol("q2-random-knowledge", "its responses with knowledge that is not theirs",
             loaders.read_random_knowledge, (systems.RANDOM_RUN,), systems.random_tables),
    Protocol("topical-chat", "USR's annotations of Topical-Chat",
             loaders.read_topical_chat, _Q2, others.topical_tables),
    Protocol("dnli", "Dialogue NLI", loaders.read_dnli, (others.DNLI_RUN,), others.dnli_tables),
    Protocol("qags-cnndm", "QAGS' CNN/DM summaries",
             loaders.read_qags_cnndm, qags.QAGS_RUNS, qags.qags_tables),
    Protocol("qags-xsum", "QAGS' XSUM summaries",
             loaders.read_qags_xsum, qags.QAGS_RUNS, qags.qags_tables),
    Protocol("ranking", "sentence triplets of Falke et al. 2019",
             loaders.read_ranking, (others.RANKING_RUN,), others.ranking_tables),
    Protocol("begin", "BEGIN's first version: five kinds of replies",
             read_begin, (begin.RUN, begin.WITH_TURN), begin.begin_tables, also=("begin",)),
    Protocol("usr", "the GLUE proxy indicators on USR's annotations",
             read_usr, (of_glue.GLUE_RUN,), of_glue.usr_tables),
    Protocol("usr-published",
             "the GLUE paper's own indicator values on USR's annotations, read from its files",
             read_indicators, (), of_glue.indicator_tables),
)  # fmt: skip
PROTOCOLS = {protocol.name: protocol for protocol in _ALL}
