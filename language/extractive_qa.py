"""Extractive question answering with the no-answer decision of SQuAD 2.0 (Q², section 2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qsquared.errors import ModelError
from qsquared.language.engines.encoders import Encoder, Loaded, Logits
from qsquared.language.neural.batches import chunked
from qsquared.language.neural.near_ties import is_close_reading
from qsquared.language.neural.neural_model import NeuralModel
from qsquared.profiles.model_parameters import ReadingParameters
from qsquared.records import Answer, ReadingRequest

_CHUNK_CHARACTERS = 200_000
"""Characters whose windows are held at a time; a single longer text is a chunk of its own."""
_WORD_MARK = "▁"
_UNREAD = Answer(None, None, None, 0.0, 0.0, 0)
"""The reading of a text without a single token, and of every text for a question that is too long to be
read; no model was asked, hence no window."""


@dataclass(frozen=True, slots=True)
class _Window:
    """A window: its inputs, each token's bounds in the text, and the tokens that may begin or end a span."""

    request: int
    inputs: dict[str, list[int]]
    bounds: NDArray[np.int64]
    starts: NDArray[np.bool_]
    ends: NDArray[np.bool_]
    cls: int


@dataclass(frozen=True, slots=True)
class _Best:
    """The best span of a window, in characters of the text, and the window's no-answer score.

    ``second`` is the score of the next best span, ``spread`` how much the logits vary.
    """

    start: int
    end: int
    score: float
    no_answer: float
    second: float
    spread: float


class ExtractiveAnswers(NeuralModel[ReadingParameters]):
    """A reader that takes the best span of a text by start and end logits, or no answer.

    A text above the window is read in overlapping windows.
    The score is the best span's over all windows, the no-answer score the lowest of the windows'
    [CLS] scores; there is no answer where the latter exceeds the former by more than
    ``no_answer_threshold``.
    Of equal spans the first wins: the earliest window, then the earliest start, then the shortest.
    A question above half a window is not read at all: its beginning would be another question.

    The paper's code differs: it takes the two argmaxes over all tokens, the question's included,
    lets the end precede the start, takes any answer that holds [CLS] for none, cuts answers from
    decoded tokens, and knows no window.
    """

    defaults = ReadingParameters()
    implementation = "extractive-answers"
    version = 2
    auto_class = "AutoModelForQuestionAnswering"
    logit_names = ("start_logits", "end_logits")
    settles_ties = True

    def answer(self, requests: Sequence[ReadingRequest]) -> list[Answer]:
        """Answer each request; equal requests are read once, blank texts never.

        An answer in no window (``windows`` is 0) says that there was nothing to read or that the
        question is too long.

        Raises:
            ModelError: the model cannot be loaded, or a logit is not finite.
            MemoryError: not even one window fits in memory.
        """
        with self._lock:
            distinct = [r for r in dict.fromkeys(requests) if r.text.strip()]
            short = self._short({request.question for request in distinct})
            answers: dict[ReadingRequest, Answer] = {}
            # Texts of like length together; the windows of a whole shard would fill memory.
            ordered = sorted(distinct, key=lambda request: len(request.text))
            readable = [request for request in ordered if request.question in short]
            for chunk in chunked(readable, _characters, _CHUNK_CHARACTERS):
                answers |= self._answer(chunk)
            return [answers.get(request, _UNREAD) for request in requests]

    def _check(self, loaded: Loaded) -> None:
        loaded.config.check_window(self.parameters.max_tokens, self.checkpoint)
        if loaded.tokenizer.cls_token_id is None:
            raise ModelError(
                f"The tokenizer of {self.checkpoint} has no [CLS] token, where SQuAD 2.0 reads the "
                "no-answer score.",
                "Use an encoder such as BERT, ALBERT or RoBERTa.",
            )

    def _answer(self, requests: list[ReadingRequest]) -> dict[ReadingRequest, Answer]:
        loaded = self.load()
        windows = [window for window in self._windows(requests) if window.ends.any()]
        bests = self._read(windows, loaded.run)
        of_request: dict[int, list[int]] = {}
        for index, window in enumerate(windows):
            of_request.setdefault(window.request, []).append(index)
        if loaded.exact is not loaded.run:
            close = [
                index
                for indices in of_request.values()
                if self._is_close([bests[index] for index in indices])
                for index in indices
            ]
            exact = self._read([windows[index] for index in close], loaded.exact)
            for index, best in zip(close, exact, strict=True):
                bests[index] = best
        return {
            requests[request]: self._decide(requests[request].text, [bests[i] for i in indices])
            for request, indices in of_request.items()
        }

    def _read(self, windows: list[_Window], encoder: Encoder) -> list[_Best]:
        """Return the best span of each window."""
        names = self.load().config.inputs
        encoded = {name: [window.inputs[name] for window in windows] for name in names}

        def read(batch: Sequence[int], outputs: tuple[Logits, ...]) -> list[_Best]:
            rows = zip(batch, *outputs, strict=True)
            return [self._best(windows[index], starts, ends) for index, starts, ends in rows]

        return self._encode_in_batches(encoder, encoded, read)

    def _windows(self, requests: list[ReadingRequest]) -> list[_Window]:
        loaded = self.load()
        tokenizer = loaded.tokenizer
        encoded = tokenizer(
            [request.question for request in requests],
            [request.text for request in requests],
            truncation="only_second",
            max_length=self.parameters.max_tokens,
            stride=self.parameters.stride,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            return_token_type_ids=loaded.config.has_segments,
        )
        windows = []
        for row, request in enumerate(encoded["overflow_to_sample_mapping"]):
            text = requests[request].text
            bounds = encoded["offset_mapping"][row]
            inputs = {name: encoded[name][row] for name in loaded.config.inputs}
            starts = [
                part == 1 and end > start and not text[start:end].isspace()
                for part, (start, end) in zip(encoded.sequence_ids(row), bounds, strict=True)
            ]
            # SentencePiece's bare word mark has the bounds of the character after it.
            ends = [
                may and token != _WORD_MARK
                for may, token in zip(starts, encoded.tokens(row), strict=True)
            ]
            windows.append(
                _Window(
                    request,
                    inputs,
                    np.array(bounds, dtype=np.int64),
                    np.array(starts, dtype=np.bool_),
                    np.array(ends, dtype=np.bool_),
                    inputs["input_ids"].index(tokenizer.cls_token_id),
                )
            )
        return windows

    def _short(self, questions: set[str]) -> set[str]:
        """Return the questions that leave half of the window to the text."""
        limit = self.parameters.max_tokens // 2
        return {text for text in questions if self._tokens(text, special=False) <= limit}

    def _best(self, window: _Window, starts: Logits, ends: Logits) -> _Best:
        starts, ends = starts[: len(window.bounds)], ends[: len(window.bounds)]  # without padding
        if not (np.isfinite(starts).all() and np.isfinite(ends).all()):
            raise self._non_finite()
        first, last, score, second = best_span(
            np.where(window.starts, starts, -np.inf),
            np.where(window.ends, ends, -np.inf),
            self.parameters.max_answer_tokens,
        )
        no_answer = float(starts[window.cls]) + float(ends[window.cls])
        spread = float(starts.std()) + float(ends.std())
        start, end = int(window.bounds[first, 0]), int(window.bounds[last, 1])
        return _Best(start, end, score, no_answer, second, spread)

    def _is_close(self, bests: list[_Best]) -> bool:
        """Whether a small rounding error could choose another span, or turn an answer into none."""
        best, *others = sorted(bests, key=lambda window: -window.score)
        second = max(best.second, *(window.score for window in others)) if others else best.second
        no_answer = min(window.no_answer for window in bests)
        above = no_answer - best.score - self.parameters.no_answer_threshold
        precision = self.arithmetic.precision
        return is_close_reading(above, best.score - second, best.spread, precision)

    def _decide(self, text: str, bests: list[_Best]) -> Answer:
        best = max(bests, key=lambda window: window.score)
        no_answer = min(window.no_answer for window in bests)
        if no_answer - best.score > self.parameters.no_answer_threshold:
            return Answer(None, None, None, best.score, no_answer, len(bests))
        # SentencePiece counts the space before a word to it.
        answer = text[best.start : best.end]
        start = best.start + len(answer) - len(answer.lstrip())
        end = best.end - len(answer) + len(answer.rstrip())
        return Answer(text[start:end], start, end, best.score, no_answer, len(bests))


def _characters(request: ReadingRequest) -> int:
    return len(request.question) + len(request.text)


def best_span(starts: Logits, ends: Logits, longest: int) -> tuple[int, int, float, float]:
    """Return first token, last token and score of the best span of at most ``longest`` tokens.

    The last value is the score of the second best, minus infinity if there is none.

    Args:
        starts: start logits, minus infinity where a span may not begin.
        ends: end logits, minus infinity where a span may not end.
        longest: greatest number of tokens of a span.
    """
    padded = np.concatenate([ends, np.full(longest - 1, -np.inf, dtype=ends.dtype)])
    following = np.lib.stride_tricks.sliding_window_view(padded, longest)
    sums = starts[:, None].astype(np.float64) + following
    # argmax takes the first of equals: the earliest start, then the shortest span.
    first, more = np.unravel_index(int(np.argmax(sums)), sums.shape)
    score = float(sums[first, more])
    sums[first, more] = -np.inf
    return int(first), int(first + more), score, float(sums.max())
