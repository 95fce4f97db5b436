"""Question generation with a T5 fine-tuned for it (Q², section 2).

The default profile asks by rules instead (``language/rule_questions.py``).
"""

import math
import re
from collections.abc import Sequence
from typing import Any

from qsquared.language.engines.encoders import Loaded
from qsquared.language.long_texts import context_around
from qsquared.language.neural.neural_model import NeuralModel
from qsquared.profiles.model_parameters import BeamParameters
from qsquared.records import GeneratedQuestion, QuestionRequest

_PREFIX = re.compile(r"^\s*question:\s*", re.IGNORECASE)
_TOKEN_CHARACTERS = 20
"""A context with more characters a token than this is cut without counting its tokens, which would
take quadratic time on a long response (only white space and unknown words have so many)."""


class T5Questions(NeuralModel[BeamParameters]):
    """Beam search over a T5 that reads ``answer: …  context: …`` (both spaces are the paper's).

    The paper's code appends ``</s>`` to the prompt itself; today's tokenizers do that, and a second
    one would change the questions, so the prompt here carries none.
    A context above the window is cut to whole sentences around the span, or to words where a
    sentence alone is too long; the answer is never cut.
    A span that does not fit with nothing but itself as context gets no question.
    """

    defaults = BeamParameters()
    implementation = "t5-questions"
    auto_class = "AutoModelForSeq2SeqLM"
    version = 2

    alike = 0.4
    """Most of the work is in the questions, which do not grow with their prompts."""
    shares_context = False
    """Whether the beams of a prompt read one copy of it; so for every T5 once it is loaded."""

    def generate(self, requests: Sequence[QuestionRequest]) -> list[list[GeneratedQuestion]]:
        """Return at most ``returned`` distinct questions for each request, best first.

        Raises:
            ModelError: the model cannot be loaded, or a score is not finite.
            MemoryError: not even one prompt fits in memory.
        """
        with self._lock:
            if not requests:
                return []
            prompts = [self._prompt(request) for request in requests]
            distinct = list(dict.fromkeys(prompt for prompt in prompts if prompt is not None))
            questions = self._generate(distinct)
            return [[] if prompt is None else list(questions[prompt]) for prompt in prompts]

    def _check(self, loaded: Loaded) -> None:
        from qsquared.language.engines.linear_layers import pack_linears
        from qsquared.language.shared_context import share_context

        self.shares_context = share_context(loaded.model)
        if self.arithmetic.precision == "fp32":
            pack_linears(loaded.model)

    def _prompt(self, request: QuestionRequest) -> str | None:
        span = request.span
        answer = request.context[span.start : span.end]

        def prompt(context: str) -> str:
            return f"answer: {answer}  context: {context}"

        def fits(context: str) -> bool:
            limit = self.parameters.max_tokens
            if len(context) > _TOKEN_CHARACTERS * limit:
                return False
            return self._tokens(prompt(context)) <= limit

        bounds = context_around(request.context, span.start, span.end, fits)
        return None if bounds is None else prompt(request.context[slice(*bounds)])

    def _generate(self, prompts: list[str]) -> dict[str, list[GeneratedQuestion]]:
        tokenizer = self.load().tokenizer
        ids = [tokenizer(prompt)["input_ids"] for prompt in prompts]
        questions = self._in_batches(
            [len(row) for row in ids], lambda batch: self._search([ids[i] for i in batch])
        )
        return dict(zip(prompts, questions, strict=True))

    def _search(self, ids: list[list[int]]) -> list[list[GeneratedQuestion]]:
        import torch

        loaded = self.load()
        model: Any = loaded.model
        tokenizer = loaded.tokenizer
        settings = self.parameters
        inputs = loaded.pad({"input_ids": ids}, self.device)
        if self.shares_context:
            from qsquared.language.shared_context import SharedContext

            inputs["past_key_values"] = SharedContext(settings.beam_size)
        with torch.inference_mode():
            output = model.generate(
                **inputs,
                num_beams=settings.beam_size,
                num_return_sequences=settings.returned,
                no_repeat_ngram_size=settings.no_repeat_ngram_size,
                max_length=settings.max_question_tokens,
                early_stopping=settings.beam_size > 1,
                length_penalty=1.0,
                do_sample=False,
                output_scores=True,
                return_dict_in_generate=True,
            )
        if settings.beam_size > 1:
            scores = output.sequences_scores.tolist()
        else:
            steps = model.compute_transition_scores(
                output.sequences, output.scores, normalize_logits=True
            )
            # A row that ended early is padded with tokens of score -inf, or of no meaning.
            kept = output.sequences[:, 1:] != tokenizer.pad_token_id
            scores = (torch.where(kept, steps, 0.0).sum(1) / kept.sum(1).clamp(min=1)).tolist()
        texts = tokenizer.batch_decode(output.sequences, skip_special_tokens=True)
        if not all(math.isfinite(score) for score in scores):
            raise self._non_finite()
        returned = settings.returned
        return [
            _distinct(texts[first : first + returned], scores[first : first + returned])
            for first in range(0, len(texts), returned)
        ]


def _distinct(texts: list[str], scores: list[float]) -> list[GeneratedQuestion]:
    """Return the distinct, non-empty questions, each with its best rank."""
    best: dict[str, float] = {}
    for text, score in zip(texts, scores, strict=True):
        question = _PREFIX.sub("", text).strip()
        if question:
            best.setdefault(question, score)
    return [GeneratedQuestion(question, score, "beam") for question, score in best.items()]
