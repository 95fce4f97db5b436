"""Judges whether a text entails another: three-way NLI (Q², section 2), and learned consistency models."""

import re
from collections.abc import Mapping, Sequence

from qsquared.errors import ModelError
from qsquared.language.engines.encoders import EncoderFacts, Loaded
from qsquared.language.long_texts import read_beside, split_sentences
from qsquared.language.neural.batches import characters, chunked
from qsquared.language.neural.near_ties import is_close_judgement
from qsquared.language.neural.sequence_classifier import SequenceClassifier
from qsquared.method.knowledge.evidence import pooled, views
from qsquared.profiles.model_parameters import ConsistencyParameters, EntailmentParameters
from qsquared.records import InferenceRequest, Judgement, Support

_CHUNK_CHARACTERS = 200_000
"""Characters whose tokens are held at a time."""
_STEMS = ("entail", "neutral", "contradict")


class NliJudge(SequenceClassifier[EntailmentParameters]):
    """A judge that gives the probabilities of entailment, neutral and contradiction.

    Nothing is truncated.
    A premise that does not fit beside its hypothesis is read in runs of whole sentences: it entails
    as much as its most entailing run, and contradicts as much as its most contradicting one.
    A hypothesis above half a window that does not fit beside its premise is judged in pieces: it is
    entailed as little as its least entailed piece, and contradicted as much as its most contradicted one.
    Contradiction is bounded by what entailment leaves, and neutral is the rest.
    """

    defaults = EntailmentParameters()
    implementation = "nli-judge"
    settles_ties = True

    def judge(self, requests: Sequence[InferenceRequest]) -> list[Judgement]:
        """Judge each request; equal requests are judged once.

        Raises:
            ModelError: the model cannot be loaded, does not say which label is which, or gives a
                logit that is not finite.
            MemoryError: not even one row fits in memory.
        """
        with self._lock:
            if not requests:
                return []
            pieces = [self._pieces(request) for request in requests]
            rows = {row for parts in pieces for runs in parts for row in runs}
            ordered = sorted(rows, key=lambda row: (characters(row), row))
            loaded = self.load()
            judged: dict[tuple[str, str], Judgement] = {}
            for chunk in chunked(ordered, characters, _CHUNK_CHARACTERS):
                judged |= self._judgements(self.shares(chunk))
            # Near ties of a lower precision are settled in float32.
            if loaded.exact is not loaded.run:
                close = [row for row in ordered if is_close_judgement(judged[row])]
                for chunk in chunked(close, characters, _CHUNK_CHARACTERS):
                    exact = self._softmax(chunk, loaded.exact)
                    judged |= self._judgements(dict(zip(chunk, exact, strict=True)))
            return [
                _conjoin([_disjoin([judged[row] for row in runs]) for runs in parts])
                for parts in pieces
            ]

    def _check(self, loaded: Loaded) -> None:
        super()._check(loaded)
        self._label_order(loaded.config)

    def _label_order(self, config: EncoderFacts) -> list[int]:
        """Return the indices of entailment, neutral and contradiction among the model's outputs."""
        named = list(config.labels)
        outputs = len(named)
        names = self.parameters.labels or named
        matching = [[i for i, name in enumerate(names) if stem in name.lower()] for stem in _STEMS]
        if outputs != len(_STEMS) or len(names) != outputs or any(len(f) != 1 for f in matching):
            raise ModelError(
                f"The model {self.checkpoint} names its {outputs} labels {', '.join(names)}; which "
                "are entailment, neutral and contradiction is not said.",
                'State them in the order of its outputs in the profile, as labels = ["entailment", '
                '"neutral", "contradiction"] among the parameters of `entailment`.',
            )
        return [index for (index,) in matching]

    def _pieces(self, request: InferenceRequest) -> list[list[tuple[str, str]]]:
        """Return, for each piece of the hypothesis, its pairs with the runs of the premise."""
        limit = self.parameters.max_tokens
        premise, hypothesis = request.premise, request.hypothesis

        def whole(first: str, second: str) -> bool:
            return self._tokens(first, second) <= limit

        if whole(premise, hypothesis):
            return [[(premise, hypothesis)]]

        def fits_half(piece: str) -> bool:
            return self._tokens(piece, special=False) <= limit // 2

        parts = read_beside(hypothesis, [premise], fits_half, whole)
        return [[(run, part) for run in runs] for part, runs in parts]

    def _judgements(
        self, shares: Mapping[tuple[str, str], Sequence[float]]
    ) -> dict[tuple[str, str], Judgement]:
        order = self._label_order(self.load().config)
        return {row: Judgement(*[chances[i] for i in order]) for row, chances in shares.items()}


def _disjoin(runs: list[Judgement]) -> Judgement:
    """Combine the judgements of a premise's runs: one run that entails is enough."""
    return runs[0] if len(runs) == 1 else _bounded(max(r.entailment for r in runs), runs)


def _conjoin(pieces: list[Judgement]) -> Judgement:
    """Combine the judgements of a hypothesis's pieces: all must be entailed."""
    return pieces[0] if len(pieces) == 1 else _bounded(min(p.entailment for p in pieces), pieces)


def _bounded(entailment: float, parts: list[Judgement]) -> Judgement:
    contradiction = min(max(part.contradiction for part in parts), 1.0 - entailment)
    return Judgement(entailment, max(0.0, 1.0 - entailment - contradiction), contradiction)


class PooledJudge:
    """Two judges, whose judgements of a request are pooled by a weighted geometric mean.

    A small judge errs elsewhere than a large one, so both together are right more often than either
    (docs/decisions/0048).

    Args:
        first: the judge whose checkpoint and parameters the profile states.
        second: another one.
        share: how much the second counts, 0 to 1; the first counts for the rest.
    """

    def __init__(self, first: NliJudge, second: NliJudge, share: float) -> None:
        self.first, self.second = first, second
        self._weights = (1 - share, share)

    def load(self) -> None:
        """Load both judges.

        Raises:
            ModelError: one cannot be loaded.
        """
        self.first.load()
        self.second.load()

    @property
    def identity(self) -> str:
        """The identities of both judges and how much each counts.

        Raises:
            ModelError: a checkpoint is not there.
        """
        return f"{self.first.identity} pooled {self._weights[1]} with {self.second.identity}"

    def judge(self, requests: Sequence[InferenceRequest]) -> list[Judgement]:
        """Judge each request by both, and pool what they say.

        Raises:
            ModelError: a model cannot be loaded, or gives a logit that is not finite.
            MemoryError: not even one row fits in memory.
        """
        both = zip(self.first.judge(requests), self.second.judge(requests), strict=True)
        return [pooled(judgements, self._weights) for judgements in both]

    def forget(self) -> None:
        """Read every pair again, as a benchmark has to that asks twice."""
        self.first.forget()
        self.second.forget()


class ConsistencyJudge(SequenceClassifier[ConsistencyParameters]):
    """The judge of the baseline `consistency`: a fact-checking or NLI checkpoint that gives one probability.

    It is that of support by the premise; the score `support` of a reply is another (``method/support.py``).
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

        def fits_half(piece: str) -> bool:
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
            parts += read_beside(text, read, fits_half, whole)
        return [[(run, part) for run in runs] for part, runs in parts]
