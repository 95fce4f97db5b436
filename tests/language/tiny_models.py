"""Tiny random models of the real architectures, saved as a hub checkpoint would be."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sentencepiece
import torch
from transformers import (
    AlbertConfig,
    AlbertForQuestionAnswering,
    BertConfig,
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertTokenizer,
    DebertaV2Config,
    DebertaV2ForQuestionAnswering,
    DebertaV2ForSequenceClassification,
    DebertaV2Tokenizer,
    MPNetConfig,
    MPNetModel,
    MPNetTokenizer,
    RobertaConfig,
    RobertaForSequenceClassification,
    RobertaTokenizer,
    T5Config,
    T5ForConditionalGeneration,
)

from qsquared.language.checkpoints.weights import load_tokenizer
from qsquared.language.engines.encoders import TorchEncoder

_WORDS = (
    "the a of in is was who what when where which did does it he she they river city capital "
    "france paris rome italy mary john wrote book sang song won race 1990 2004 blue old new "
    "long and or not cat dog sat mat to from with by for on at"
)
WORDS = _WORDS.split()
LABELS = ("entailment", "neutral", "contradiction")


def _once(make: Callable[..., Path]) -> Callable[..., Path]:
    """Make each checkpoint once a process, and write copies of its files."""
    made: dict[str, dict[str, bytes]] = {}

    @functools.wraps(make)
    def copy(folder: Path, *arguments: Any, **options: Any) -> Path:
        key = repr((arguments, options))
        if key not in made:
            make(folder, *arguments, **options)
            made[key] = {path.name: path.read_bytes() for path in folder.iterdir()}
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in made[key].items():
            (folder / name).write_bytes(content)
        return folder

    return copy


def save_bert(kind: Any, folder: Path, **config: Any) -> Path:
    """A BERT with a word-piece vocabulary; ``kind`` is its head."""
    letters = list("abcdefghijklmnopqrstuvwxyz0123456789.,?!")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *WORDS]
    vocabulary += ["##" + c for c in letters if c.isalnum()]
    entries = dict.fromkeys(vocabulary)
    tokenizer = BertTokenizer(vocab={word: i for i, word in enumerate(entries)})
    return _save(
        kind(
            BertConfig(
                vocab_size=len(entries),
                hidden_size=32,
                num_hidden_layers=2,
                num_attention_heads=2,
                intermediate_size=64,
                max_position_embeddings=128,
                initializer_range=0.5,
                **config,
            )
        ),
        tokenizer,
        folder,
    )


@_once
def bert_qa(folder: Path, seed: int = 0) -> Path:
    """A BERT reader."""
    torch.manual_seed(seed)
    return save_bert(BertForQuestionAnswering, folder)


@_once
def bert_nli(folder: Path, labels: tuple[str, ...] = LABELS, seed: int = 0) -> Path:
    """A BERT classifier whose outputs have these names."""
    torch.manual_seed(seed)
    named = {"id2label": dict(enumerate(labels)), "label2id": {n: i for i, n in enumerate(labels)}}
    return save_bert(BertForSequenceClassification, folder, **named)


@_once
def mpnet(folder: Path, seed: int = 0) -> Path:
    """An MPNet without a head, whose tokenizer fills texts to a fixed length as a sentence encoder's."""
    torch.manual_seed(seed)
    special = ["<s>", "<pad>", "</s>", "<unk>", "[UNK]", "<mask>"]
    letters = list("abcdefghijklmnopqrstuvwxyz0123456789.,?!")
    words = [*special, *letters, *WORDS, *("##" + c for c in letters if c.isalnum())]
    entries = {word: i for i, word in enumerate(dict.fromkeys(words))}
    tokenizer = MPNetTokenizer(vocab=entries)
    tokenizer.backend_tokenizer.enable_truncation(max_length=8)
    tokenizer.backend_tokenizer.enable_padding(length=8, pad_id=1, pad_token="<pad>")
    config = MPNetConfig(
        vocab_size=len(entries),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=130,
        initializer_range=0.5,
    )
    return _save(MPNetModel(config), tokenizer, folder)


@_once
def roberta_nli(folder: Path, seed: int = 0) -> Path:
    """A RoBERTa classifier with byte-level tokens (one segment, positions after the padding)."""
    torch.manual_seed(seed)
    from tokenizers.pre_tokenizers import ByteLevel

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    entries = {word: i for i, word in enumerate([*special, *sorted(ByteLevel.alphabet())])}
    config = RobertaConfig(
        vocab_size=len(entries),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=130,
        type_vocab_size=1,
        initializer_range=0.5,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        id2label=dict(enumerate(LABELS)),
        label2id={name: i for i, name in enumerate(LABELS)},
    )
    tokenizer = RobertaTokenizer(vocab=entries, merges=[])
    return _save(RobertaForSequenceClassification(config), tokenizer, folder)


@_once
def albert_qa(folder: Path, seed: int = 0) -> Path:
    """An ALBERT reader that comes with `spiece.model` alone, as the published ones do."""
    torch.manual_seed(seed)
    folder.mkdir(parents=True, exist_ok=True)
    size = _sentencepiece(
        folder,
        pad_id=0,
        unk_id=1,
        bos_id=-1,
        eos_id=-1,
        control_symbols=["[CLS]", "[SEP]"],
        user_defined_symbols=["[MASK]"],
    )
    config = AlbertConfig(
        vocab_size=size,
        embedding_size=16,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
        initializer_range=0.5,
    )
    AlbertForQuestionAnswering(config).save_pretrained(folder)
    return folder


def _save_deberta(kind: Any, folder: Path, fast: bool, **config: Any) -> Path:
    """A DeBERTa-v3 with relative positions only, and `spm.model`, or `tokenizer.json` where it is ``fast``."""
    folder.mkdir(parents=True, exist_ok=True)
    control = {"bos_id": 1, "eos_id": 2, "bos_piece": "[CLS]", "eos_piece": "[SEP]"}
    size = _sentencepiece(
        folder, "spm.model", pad_id=0, pad_piece="[PAD]", unk_id=3, unk_piece="[UNK]", **control
    )
    kind(
        DebertaV2Config(
            vocab_size=size + 1,
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=128,
            position_buckets=16,
            max_relative_positions=-1,
            relative_attention=True,
            share_att_key=True,
            pos_att_type=["p2c", "c2p"],
            norm_rel_ebd="layer_norm",
            position_biased_input=False,
            type_vocab_size=0,
            initializer_range=0.5,
            pad_token_id=0,
            **config,
        )
    ).save_pretrained(folder)
    settings = {"tokenizer_class": "DebertaV2Tokenizer"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    if fast:
        DebertaV2Tokenizer.from_pretrained(folder).save_pretrained(folder)
        (folder / "spm.model").unlink()
    return folder


@_once
def deberta_qa(folder: Path, seed: int = 0) -> Path:
    """A DeBERTa-v3 reader."""
    torch.manual_seed(seed)
    return _save_deberta(DebertaV2ForQuestionAnswering, folder, fast=True)


@_once
def deberta_nli(folder: Path, labels: tuple[str, ...] = LABELS, seed: int = 0) -> Path:
    """A DeBERTa-v3 classifier that comes with `spm.model` alone, as the first ones did."""
    torch.manual_seed(seed)
    named = {"id2label": dict(enumerate(labels)), "label2id": {n: i for i, n in enumerate(labels)}}
    return _save_deberta(DebertaV2ForSequenceClassification, folder, fast=False, **named)


@_once
def t5_qg(folder: Path, seed: int = 0) -> Path:
    """A T5 that comes with `spiece.model` alone, as the published ones do."""
    torch.manual_seed(seed)
    folder.mkdir(parents=True, exist_ok=True)
    size = _sentencepiece(folder, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    config = T5Config(
        vocab_size=size + 100,
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=2,
        num_heads=2,
        initializer_factor=3.0,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder


def _sentencepiece(folder: Path, name: str = "spiece.model", **options: Any) -> int:
    sentences = [" ".join(WORDS[i : i + 9]) + "." for i in range(0, len(WORDS), 3)]
    sentences += ["answer: Paris context: question: Who is it?", "What, when or where!"]
    with (folder / name).open("wb") as model:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences * 3),
            model_writer=model,
            vocab_size=150,
            hard_vocab_limit=False,
            minloglevel=2,
            num_threads=1,
            **options,
        )
    return sentencepiece.SentencePieceProcessor(model_file=str(folder / name)).get_piece_size()


def _save(model: Any, tokenizer: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def run_by(model: Any, module: torch.nn.Module) -> None:
    """Let a loaded encoder's logits come from another module, which gives them by name."""
    loaded = model.load()
    tokenizer = load_tokenizer(Path(model.checkpoint))
    encoder = TorchEncoder(module, tokenizer, model.logit_names, "cpu")  # type: ignore[arg-type]
    for name in ("run", "exact"):
        object.__setattr__(loaded, name, encoder)
