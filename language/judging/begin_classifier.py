"""Classify replies into BEGIN's five classes with a sequence classifier (Dziri et al. 2021)."""

from collections.abc import Sequence
from functools import partial

from qsquared.errors import ModelError
from qsquared.language.engines.encoders import EncoderFacts, Loaded
from qsquared.language.long_texts import pack_sentences, read_beside
from qsquared.language.neural.sequence_classifier import SequenceClassifier
from qsquared.method.begin import LABELS, decisive, mean_classes
from qsquared.profiles.model_parameters import ClassificationParameters
from qsquared.records import ReplyClasses, ReplyRequest

Row = tuple[str, str | None, str]
"""A run of the knowledge, the turn before (or its end), and a piece of the response."""

_SHARE = 4
"""The turn before gets at most a quarter of the window, the response at most half."""


def before_response(knowledge: str, previous: str | None, separator: str) -> str:
    """Return the classifier's first text: the knowledge, then a separator and the previous turn."""
    return f"{knowledge} {separator} {previous}" if previous else knowledge


class ReplyClassifier(SequenceClassifier[ClassificationParameters]):
    """A classifier on the vector of [CLS], as the paper's BERT: knowledge and previous turn, response.

    It reads long texts in pieces and drops nothing silently.
    A knowledge text above the window is read in runs of whole sentences, of which the one counts
    that says most on the reply, for or against it.
    A response above half a window is read in pieces, whose mean counts.
    Of a turn before above a quarter of the window its last sentences are read, since they are what
    the response replies to.
    """

    defaults = ClassificationParameters()
    implementation = "reply-classifier"

    def classify(self, requests: Sequence[ReplyRequest]) -> list[ReplyClasses]:
        """Return the probabilities of the five classes for each request; equal ones are read once.

        Raises:
            ModelError: the model cannot be loaded, or does not say which output is which class.
            MemoryError: not even one row fits in memory.
        """
        with self._lock:
            if not requests:
                return []
            pieces = [self._pieces(request) for request in requests]
            distinct = {row for parts in pieces for runs in parts for row in runs}
            rows = sorted(distinct, key=lambda row: tuple(text or "" for text in row))
            read = dict(zip(rows, self._read(rows), strict=True))
            return [
                mean_classes([decisive([read[row] for row in runs]) for runs in parts])
                for parts in pieces
            ]

    def _pieces(self, request: ReplyRequest) -> list[list[Row]]:
        """Return, for each piece of the response, its rows with the runs of the knowledge."""
        limit = self.parameters.max_tokens
        knowledge, previous, response = request.knowledge, request.previous, request.response

        def whole(run: str, part: str) -> bool:
            return self._tokens(*self._texts((run, previous, part))) <= limit

        if whole(knowledge, response):
            return [[(knowledge, previous, response)]]
        previous = self._end(previous, limit // _SHARE)
        half = partial(self._fits, limit=limit // 2)
        parts = read_beside(response, [knowledge], half, whole)
        return [[(run, previous, part) for run in runs] for part, runs in parts]

    def _end(self, text: str | None, limit: int) -> str | None:
        """Return the text, or the last run of its sentences that fits."""
        if text is None or self._fits(text, limit):
            return text
        bounds = pack_sentences(text, partial(self._fits, limit=limit))
        return text[slice(*bounds[-1])] if bounds else None

    def _fits(self, text: str, limit: int) -> bool:
        # The tokens that join the texts need room too.
        return self._tokens(text, special=False) <= limit - 8

    def _check(self, loaded: Loaded) -> None:
        super()._check(loaded)
        self._order(loaded.config)

    def _order(self, config: EncoderFacts) -> list[int]:
        """Return the indices of the five classes among the model's outputs."""
        named = list(config.labels)
        outputs = len(named)
        names = self.parameters.labels or named
        plain = [name.lower().replace("_", "-") for name in names]
        if len(names) != outputs or sorted(plain) != sorted(LABELS):
            raise ModelError(
                f"The model {self.checkpoint} names its {outputs} outputs {', '.join(names)}; which "
                f"are {', '.join(LABELS)} is not said.",
                "State all five in the order of its outputs in the profile, as labels among the "
                "parameters of `reply_classification`.",
            )
        return [plain.index(label) for label in LABELS]

    def _texts(self, row: Row) -> tuple[str, str]:
        separator = str(self.load().tokenizer.sep_token)
        return before_response(row[0], row[1], separator), row[2]

    def _read(self, rows: Sequence[Row]) -> list[ReplyClasses]:
        order = self._order(self.load().config)
        shares = self._softmax([self._texts(row) for row in rows])
        return [ReplyClasses(*[row[i] for i in order]) for row in shares]
