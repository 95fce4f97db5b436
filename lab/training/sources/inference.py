"""Loaders of sets for natural language inference: a premise, a hypothesis and a label."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.training.sources.reading import detokenise, read_fields, read_jsonl, read_table

NOT_ENTAILMENT = "not_entailment"
"""The label of sets that do not tell neutral from contradiction."""


@dataclass(frozen=True, slots=True)
class Inference:
    """One premise and hypothesis with label ``entailment``, ``neutral``, ``contradiction`` or ``not_entailment``."""

    group: str
    premise: str
    hypothesis: str
    label: str


def read_snli(folder: Path) -> Iterator[Inference]:
    """Read SNLI's pairs with a gold label; grouped by image so that captions do not cross the split."""
    for row in read_table(folder / "snli-1.0-train-100k.tsv.gz"):
        if row["gold_label"] in {"entailment", "neutral", "contradiction"}:
            yield Inference(
                f"snli/{row['pairID'].split('#')[0]}",
                row["sentence1"],
                row["sentence2"],
                row["gold_label"],
            )


def read_conjnli(folder: Path) -> Iterator[Inference]:
    """Read ConjNLI's adversarial training set: NLI over Wikipedia sentences with conjunctions."""
    for row in read_table(folder / "adversarial_train_15k.tsv.gz"):
        yield Inference(
            f"conjnli/{row['Premise']}", row["Premise"], row["Hypothesis"], row["Label"]
        )


def read_fever_symmetric(folder: Path) -> Iterator[Inference]:
    """Read FEVER-symmetric: evidence as premise, claim as hypothesis, no neutral class."""
    labels = {"SUPPORTS": "entailment", "REFUTES": "contradiction"}
    for path in sorted(folder.glob("*.jsonl")):
        for row in read_jsonl(path):
            yield Inference(
                f"fever/{row['id'][-6:]}",
                " ".join(detokenise(row["evidence"].split())),
                " ".join(detokenise(row["claim"].split())),
                labels[row["gold_label"]],
            )


def read_rte(folder: Path) -> Iterator[Inference]:
    """Read GLUE's RTE: news passages and short claims; a claim that is not entailed is neutral."""
    for row in read_table(folder / "rte_train.tsv"):
        label = "entailment" if row["label"] == "entailment" else "neutral"
        yield Inference(f"rte/{row['index']}", row["sentence1"], row["sentence2"], label)


def read_mrpc(folder: Path) -> Iterator[Inference]:
    """Read MRPC: a paraphrase is entailed; a pair that is only alike in words is neutral."""
    rows = read_fields(folder / "msr_paraphrase_train.txt")
    next(rows)
    for quality, first, second, one, other in rows:
        label = "entailment" if quality == "1" else "neutral"
        yield Inference(f"mrpc/{first}-{second}", one, other, label)
