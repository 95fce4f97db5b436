"""``python -m lab.training.sentences --data DATA --out build/sentences``: train the network of sentences."""

import argparse
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

from lab.training.export import write_sums
from lab.training.sentences.corpus import Labelled, corpus, lead_ins, names
from lab.training.sentences.made import Maker
from lab.training.sentences.model import SentenceNet, averaged, batch, exported
from qsquared.language.checkpoints.weights import unpack
from qsquared.method.plain.sentence_kinds import CLAIM, LEARNED
from qsquared.method.plain.sentence_network import SPECIAL, Indices, indices, tokens

_SIZE, _WORDS, _COMMON = 64, 6500, 12000
"""Numbers of the fixed vectors; words that have one, of the sentences and of the encoder's most frequent pieces."""
_MADE, _TAGGED, _FROM_TEMPLATES = 900, 3000, 2500
_BATCH, _RATE, _AVERAGED = 64, 4e-3, 0.995
_MIXED = 6
"""Sentences of a batch differ in length by about so many tokens."""


class Training:
    """Everything that a training needs: sentences, words with their vectors, and seeds."""

    def __init__(
        self, rows: Sequence[Labelled], encoder: Path, seed: int, start: Sequence[bytes] = ()
    ) -> None:
        """Choose the words and take their vectors from the word pieces of an encoder.

        ``start`` holds the weights of networks whose mean is trained further, with their words.
        """
        torch.manual_seed(seed)
        self.rows, self.seed = rows, seed
        self.maker = Maker(rows, seed)
        self._drawn = random.Random(seed)
        if start:
            self._net, settings = averaged(start)
            self.fixed, self.own = settings["fixed"], settings["own"]
            self.common = settings["common"]
        else:
            self.fixed, self.own = self._words()
            self.common = common_words(encoder, self.fixed)
            table = torch.tensor(vectors([*self.fixed, *self.common], encoder))
            self._net = SentenceNet(table, len(self.own) + SPECIAL, len(LEARNED))
        self._rows = (
            {w: n for n, w in enumerate([*self.fixed, *self.common], SPECIAL)},
            {w: n for n, w in enumerate(self.own, SPECIAL)},
        )

    def _words(self) -> tuple[list[str], list[str]]:
        """Return the words with fixed vectors, and those with own ones."""
        counted = count_words(self.rows)
        talk = count_words(row for row in self.rows if row.kind != CLAIM)
        talk += count_words(row for row in self.maker.templates(6000) if row.kind != CLAIM)
        around = (self.maker.filled(text) for texts in lead_ins().values() for text in texts)
        parts = {_low(word) for text in around for word in words_of(text)}
        parts |= {word for word, number in talk.items() if number > 1}
        wanted = parts | {_low(name) for name in names()}
        common = [word for word, n in counted.most_common() if n > 2 and word not in wanted]
        fixed = [word for word in (*sorted(wanted), *common) if not word[0].isdigit()]
        return fixed[:_WORDS], sorted(word for word in parts if not word[0].isdigit())

    def read(self, text: str) -> Indices:
        """Return a sentence as the network reads it."""
        return indices(words_of(text), *self._rows)

    def _examples(self, rows: Iterable[Labelled]) -> list[tuple[Indices, int, float]]:
        return [(self.read(row.text), LEARNED.index(row.kind), row.weight) for row in rows]

    def fit(self, epochs: int, rate: float) -> SentenceNet:
        """Train a network; its weights are averaged over the last steps. In no epoch it stays as it is."""
        if not epochs:
            return self._net.eval()
        net = self._net.train()
        average = torch.optim.swa_utils.get_ema_multi_avg_fn(_AVERAGED)  # type: ignore[no-untyped-call]
        recent = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=average)
        fitted = [one for one in net.parameters() if one.requires_grad]
        optimizer = torch.optim.AdamW(fitted, lr=rate / 2, weight_decay=1e-2)
        steps = epochs * ((len(self.rows) + 3 * _MADE + _FROM_TEMPLATES) // _BATCH + 1)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
        base = self._examples(self.rows)
        for _ in range(epochs):
            made = [
                *self.maker.talk(_MADE),
                *self.maker.mixed(_MADE),
                *self.maker.led(_MADE),
                *self.maker.templates(_FROM_TEMPLATES),
            ]
            epoch = base + self._examples(made)
            tagged = self.maker.tagged(_TAGGED)
            # Sentences of about one length stand in a batch, so that little of it is padding.
            epoch.sort(key=lambda one: len(one[0].fixed) + self._drawn.random() * _MIXED)
            starts = list(range(0, len(epoch), _BATCH))
            self._drawn.shuffle(starts)
            for start in starts:
                loss = _kind_loss(net, epoch[start : start + _BATCH])
                few = self._drawn.sample(tagged, 24)
                loss = loss + _tag_loss(net, [(self.read(one.text), one.tags) for one in few])
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                schedule.step()
                recent.update_parameters(net)
        net.load_state_dict(recent.module.state_dict())
        return net.eval()


def count_words(rows: Iterable[Labelled]) -> Counter[str]:
    """Count the sentences that have each word."""
    return Counter(_low(word) for row in rows for word in dict.fromkeys(words_of(row.text)))


def _low(word: str) -> str:
    return word.lower().replace("\u2019", "'")


def words_of(text: str) -> list[str]:
    """Return the tokens of a sentence."""
    return [token.group() for token in tokens(text)]


def common_words(encoder: Path, besides: Sequence[str]) -> list[str]:
    """Return the first words among the pieces of an encoder, which are in the order of their frequency."""
    pieces = Tokenizer.from_file(str(encoder / "tokenizer.json")).get_vocab()
    first = sorted(pieces, key=pieces.__getitem__)[:_COMMON]
    known = set(besides)
    return [word for word in first if len(word) > 1 and word.isalpha() and word not in known]


def vectors(words: Sequence[str], encoder: Path) -> np.ndarray:
    """Return the main directions of the vectors of words' pieces, [words + 3, 40]."""
    pieces = unpack(encoder / "model.safetensors")["bert.embeddings.word_embeddings.weight"].numpy()
    cut = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    ids = (cut.encode(word, add_special_tokens=False).ids or [0] for word in words)
    found = np.stack([pieces[own].mean(axis=0) for own in ids])
    found -= found.mean(axis=0)
    found /= np.linalg.norm(found, axis=1, keepdims=True) + 1e-6
    directions = np.linalg.svd(found, full_matrices=False)[2][:_SIZE]
    reduced = found @ directions.T
    return np.concatenate([np.zeros((SPECIAL, _SIZE)), reduced / reduced.std()]).astype(np.float32)


def _kind_loss(net: SentenceNet, rows: Sequence[tuple[Indices, int, float]]) -> torch.Tensor:
    read, kinds, weights = zip(*rows, strict=True)
    logits, _ = net(*batch(read))
    each = nn.functional.cross_entropy(
        logits, torch.tensor(kinds), reduction="none", label_smoothing=0.02
    )
    return (each * torch.tensor(weights)).mean()


def _tag_loss(net: SentenceNet, rows: Sequence[tuple[Indices, tuple[int, ...]]]) -> torch.Tensor:
    _, logits = net(*batch([row[0] for row in rows]))
    wanted = torch.full(logits.shape[:2], -100)
    for number, (row, tags) in enumerate(rows):
        size = len(row.fixed) - 4
        if size == len(tags):
            wanted[number, :size] = torch.tensor(tags)
    return nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=-100)


def main() -> None:
    """Train the network and write its weights and figures."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.training.sentences", description=main.__doc__
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the published sets")
    parser.add_argument("--out", type=Path, required=True, help="folder of the weights")
    parser.add_argument("--encoder", type=Path, default=Path("models/compact-nli"))
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--sentences", type=int, default=6000, help="of each published set")
    parser.add_argument("--heat", type=float, default=0.95, help="divides the logits")
    parser.add_argument(
        "--start", type=Path, nargs="+", default=[], help="weights whose mean is trained further"
    )
    parser.add_argument("--rate", type=float, default=_RATE, help="the highest learning rate")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows = corpus(arguments.data, arguments.sentences, arguments.seed)
    start = [path.read_bytes() for path in arguments.start]
    training = Training(rows, arguments.encoder, arguments.seed, start)
    settings = {name: getattr(training, name) for name in ("fixed", "common", "own")}
    settings["kinds"] = list(LEARNED)
    arguments.out.mkdir(parents=True, exist_ok=True)
    file = arguments.out / "model.safetensors"
    file.write_bytes(
        exported(training.fit(arguments.epochs, arguments.rate), settings, arguments.heat)
    )
    write_sums(arguments.out, [file.name])


if __name__ == "__main__":
    main()
