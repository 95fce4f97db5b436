"""Learned consistency models: sequence classifiers that rate how far a text supports a claim."""

import re
from collections.abc import Sequence

from qsquared.errors import ModelError
from qsquared.language.engines.encoders import EncoderFacts, Loaded
from qsquared.language.judging.nli import NliJudge
from qsquared.language.long_texts import read_beside, split_sentences
from qsquared.language.running.sequence_classifier import SequenceClassifier
from qsquared.method.knowledge.evidence import views
from qsquared.profiles.parameters import ConsistencyParameters
from qsquared.records import InferenceRequest, Support


class SupportJudge(SequenceClassifier[ConsistencyParameters]):
    """A fact-checking or NLI checkpoint that gives the probability that a premise supports a hypothesis.

    A premise above the window is read in runs of whole sentences, of which the most supporting
    counts; with ``by_sentence`` the hypothesis is judged sentence by sentence and the mean counts,
    as MiniCheck and AlignScore do.
    With a ``template`` both stand in one text, as FactCG and others were trained.
    With ``evidence`` a sentence is judged beside the sentences of the premise that speak of it, where
    the texts are long (``method/knowledge/evidence.py``); of two views the more supporting one counts.
    """

    defaults = ConsistencyParameters()
    implementation = "support-judge"
    _judge: NliJudge | None = None

    def share(self, judge: NliJudge) -> None:
        """Let a judge of the same weights and arithmetic read the texts, each once for both."""
        if not self.parameters.template and self.computes_as(judge):
            self._judge = judge

    def load(self) -> Loaded:
        """Return the model and its tokenizer, loaded once, and once for both if the judge is the same."""
        if self._judge is None:
            return super().load()
        loaded = self._judge.load()
        self._check(loaded)
        return loaded

    def support(self, requests: Sequence[InferenceRequest]) -> list[Support]:
        """Return one probability for each request, with the number of pieces that were read.

        Raises:
            ModelError: the model cannot be loaded, or which label means support is not said.
            MemoryError: not even one row fits in memory.
        """
        with self._lock:
            if not requests:
                return []
            pieces = [self._pieces(request) for request in requests]
            rows = sorted({row for parts in pieces for runs in parts for row in runs})
            label = self._label(self.load().config)
            reader = self if self._judge is None else self._judge
            judged = {row: shares[label] for row, shares in reader.shares(rows).items()}
            supports = []
            for parts in pieces:
                best = [max(judged[row] for row in runs) for runs in parts]
                supports.append(Support(sum(best) / len(best), sum(len(runs) for runs in parts)))
            return supports

    def _columns(self, pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[str] | None]:
        template = self.parameters.template
        if not template:
            return super()._columns(pairs)
        # Not by format, since the texts may hold braces.
        begin, middle, end = re.split(r"\{premise\}|\{hypothesis\}", template)
        order = 1 if template.index("{premise}") < template.index("{hypothesis}") else -1
        return [begin + middle.join(pair[::order]) + end for pair in pairs], None

    def _check(self, loaded: Loaded) -> None:
        super()._check(loaded)
        self._label(loaded.config)

    def _label(self, config: EncoderFacts) -> int:
        """Return the index of the label that means support."""
        names = list(config.labels)
        label = self.parameters.supported
        matching = [i for i, name in enumerate(names) if name.lower() == label.lower()]
        if not matching and label.isdecimal() and int(label) < len(names):
            return int(label)
        if len(matching) != 1:
            raise ModelError(
                f"The model {self.checkpoint} has the labels {', '.join(names)}, none of them "
                f"{label!r}.",
                'Name the label that means support in the profile, as supported = "LABEL_1" among '
                "the parameters of `consistency`.",
            )
        return matching[0]

    def _pieces(self, request: InferenceRequest) -> list[list[tuple[str, str]]]:
        limit = self.parameters.max_tokens
        premise, hypothesis = request.premise, request.hypothesis

        def half(piece: str) -> bool:
            return self._tokens(piece) <= limit // 2

        parted = [hypothesis]
        if self.parameters.evidence or self.parameters.by_sentence:
            parted = [hypothesis[a:b] for a, b in split_sentences(hypothesis)] or [""]

        def whole(run: str, part: str) -> bool:
            (first,), second = self._columns([(run, part)])
            return self._tokens(first, part if second else None) <= limit

        parts: list[tuple[str, list[str]]] = []
        for text in parted:
            read = views(text, [premise]) if self.parameters.evidence else (premise,)
            parts += read_beside(text, read, half, whole)
        return [[(run, part) for run in runs] for part, runs in parts]
