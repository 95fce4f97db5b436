"""BERTScore (Zhang et al. 2020): greedy matching of contextual token embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qsquared.errors import ModelError
from qsquared.language.engines.encoders import Loaded
from qsquared.language.long_texts import pack_sentences
from qsquared.language.neural.batches import characters, chunked
from qsquared.language.neural.neural_model import NeuralModel
from qsquared.profiles.model_parameters import SimilarityParameters
from qsquared.records import Similarity

if TYPE_CHECKING:
    import torch

    _Tokens = tuple[torch.Tensor, torch.Tensor]

_CHUNK_CHARACTERS = 100_000
"""Characters whose embeddings are held at a time."""


class TokenSimilarity(NeuralModel[SimilarityParameters]):
    """BERTScore's precision, recall and F1 of greedily matched tokens, by the package bert-score.

    Without weights by rarity and without rescaling.
    Nothing is truncated: a text above the window is embedded in runs of whole sentences.
    """

    defaults = SimilarityParameters()
    implementation = "token-similarity"

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Similarity]:
        """Compare each (candidate, reference) pair.

        Raises:
            ModelError: the model cannot be loaded or gives a number that is not finite.
            MemoryError: not even one row fits in memory.
        """
        with self._lock:
            similarities = []
            for chunk in chunked(list(pairs), characters, _CHUNK_CHARACTERS):
                texts = list(dict.fromkeys(text for pair in chunk for text in pair))
                embedded = dict(zip(texts, self._embed(texts), strict=True))
                similarities += [_match(embedded[first], embedded[other]) for first, other in chunk]
            return similarities

    @property
    def auto_class(self) -> str:
        """The transformers class; a classifier's encoder is found below its head."""
        return "AutoModelForSequenceClassification" if self.parameters.classifier else "AutoModel"

    def _check(self, loaded: Loaded) -> None:
        loaded.config.check_window(self.parameters.max_tokens, self.checkpoint)
        try:
            import bert_score  # noqa: F401
        except ImportError as error:
            raise ModelError(
                "BERTScore needs the package bert-score, which is not installed.",
                "Install it with: pip install -e '.[evaluation]'",
            ) from error

    def _embed(self, texts: Sequence[str]) -> list[_Tokens]:
        """Return the embeddings of each text's tokens (tokens by dimensions), and their weights."""
        import torch

        loaded = self.load()
        limit = self.parameters.max_tokens
        pieces = [
            (owner, text[start:end])
            for owner, text in enumerate(texts)
            for start, end in pack_sentences(text, lambda piece: self._tokens(piece) <= limit)
        ]
        encoded = loaded.tokenizer(
            [piece for _, piece in pieces],
            return_special_tokens_mask=True,
            return_token_type_ids=loaded.config.has_segments,
        )

        def forward(batch: Sequence[int]) -> list[torch.Tensor]:
            rows = {name: [encoded[name][i] for i in batch] for name in loaded.config.inputs}
            with torch.inference_mode():
                output = loaded.model.base_model(
                    **loaded.pad(rows, self.device), output_hidden_states=True
                )
            states = output.hidden_states[self.parameters.layer].cpu()
            if not torch.isfinite(states).all():
                raise self._non_finite()
            return [
                state[: len(encoded["input_ids"][i])]
                for i, state in zip(batch, states, strict=True)
            ]

        lengths = [len(ids) for ids in encoded["input_ids"]]
        states = self._in_batches(lengths, forward)
        parts_of: list[list[_Tokens]] = [[] for _ in texts]
        for index, (owner, _) in enumerate(pieces):
            # Special tokens may be matched, as in the package, but have no weight of their own.
            weights = 1.0 - torch.tensor(encoded["special_tokens_mask"][index], dtype=torch.float32)
            parts_of[owner].append((states[index], weights))
        return [
            (torch.cat([state for state, _ in parts]), torch.cat([weight for _, weight in parts]))
            if parts
            else (torch.zeros((0, 1)), torch.zeros(0))
            for parts in parts_of
        ]


def _match(candidate: _Tokens, reference: _Tokens) -> Similarity:
    """Match tokens greedily by bert-score; 0 for a text without a token of its own."""
    import torch
    from bert_score.utils import greedy_cos_idf

    if not candidate[1].sum() or not reference[1].sum():
        return Similarity(0.0, 0.0, 0.0)

    def side(tokens: _Tokens) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        # The package changes what it is given.
        state, weights = tokens
        mask = torch.ones((1, len(state)), dtype=torch.bool)
        return state.clone().unsqueeze(0), mask, weights.clone().unsqueeze(0)

    precision, recall, f1 = greedy_cos_idf(*side(reference), *side(candidate))
    return Similarity(float(precision), float(recall), float(f1))
