"""Loaders of labelled pairs: sets for natural language inference, collected rows, replies of BEGIN's classes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.training.mixture.reading import Reading, detokenise, read_fields, read_jsonl, read_table

NOT_ENTAILMENT = "not_entailment"
"""The label of sets that do not tell neutral from contradiction."""


@dataclass(frozen=True, slots=True)
class Inference:
    """A premise and hypothesis with label ``entailment``, ``neutral``, ``contradiction`` or ``not_entailment``."""

    group: str
    premise: str
    hypothesis: str
    label: str


@dataclass(frozen=True, slots=True)
class Silver:
    """A reply of a class of BEGIN, made by a transformation, with its evidence and the turn before it.

    Replies of a ``group`` are on one side of the split.
    """

    label: str
    evidence: str
    previous: str
    response: str
    group: str
    transformation: str


def read_silver(path: Path) -> Iterator[Silver]:
    """Read replies of BEGIN's classes."""
    return (Silver(**row) for row in read_jsonl(path))


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


LONGEST_ANSWER = 15
"""Words of the longest answer that the reader learns; longer ones are sentences, not spans."""
LONGEST_JUDGED_ANSWER = 10
"""Words of the longest judged answer that is like a span of a reply."""

_TWO_LABELS = {"not_entailment": NOT_ENTAILMENT, "partially_supported": NOT_ENTAILMENT}
_TAG = re.compile(r"<[^>]{1,40}>")
_BEFORE = re.compile(r"\s+(?=[,.;:!?%)\]]|'s\b|n't\b|'(?:re|ve|ll|d|m)\b)")
_AFTER = re.compile(r"(?<=[(\[$])\s+")
_WORD = re.compile(r"\w+")


def read_pairs(path: Path, name: str) -> Iterator[Inference]:
    """Read pairs of premise and hypothesis; pairs on one premise stay on one side of the split."""
    for row in read_jsonl(path):
        label = _TWO_LABELS.get(row["label"], row["label"])
        premise = _unquoted(row["premise"])
        group = f"{name}/{row.get('table') or premise}"
        yield Inference(group, premise, _unquoted(row["hypothesis"]), label)


def _unquoted(text: str) -> str:
    """Undo the quoting of a CSV field that was taken over as it stood."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    return text.replace('""', '"').strip()


def read_made_neutrals(path: Path, name: str) -> Iterator[Inference]:
    """Read claims beside evidence that shares their names, without those that it may decide.

    A claim is taken as undecided if a third or more of its words that are no names are not in the
    evidence, and its evidence says nothing word for word.
    """
    for pair in read_pairs(path, name):
        said = {word[:5] for word in _WORD.findall(pair.premise.lower())}
        words = [w.lower() for w in _WORD.findall(pair.hypothesis) if w[0].islower() and len(w) > 3]
        new = [word for word in words if word[:5] not in said]
        if words and len(new) * 3 >= len(words) and len(new) >= 1:
            yield pair


def read_judged_answers(path: Path, name: str) -> Iterator[Inference]:
    """Read people's judgements of answers in the form in which the comparison asks.

    A wrong answer may differ from the reference or say more than it, so it is only not entailed.
    """
    for row in read_jsonl(path):
        question = row["question"].strip().rstrip("?")
        reference, answer = (
            (row[key] or "").strip().rstrip(".") for key in ("reference", "answer")
        )
        if reference and answer and len(answer.split()) <= LONGEST_JUDGED_ANSWER:
            yield Inference(
                f"{name}/{question}",
                f"{question}? {reference}.",
                f"{question}? {answer}.",
                "entailment" if row["correct"] else NOT_ENTAILMENT,
            )


def read_questions(path: Path, name: str) -> Iterator[Reading]:
    """Read questions on texts whose answers are short spans; tags and separate tokens are undone.

    A question stays with the others on its title, or on its text.
    """
    for row in read_jsonl(path):
        text = untokenised(row["context"])
        found = [untokenised(a["text"]) for a in row["answers"] if a["start"] is not None]
        answers = tuple(a for a in found if a and a in text and len(a.split()) <= LONGEST_ANSWER)
        if answers or row["is_impossible"]:
            group = f"squad/{row['title']}" if "title" in row else f"{name}/{text[:200]}"
            yield Reading(group, untokenised(row["question"]), text, answers)


def untokenised(text: str) -> str:
    """Write tokens that stand apart as prose: no tags, no space before a comma."""
    text = _TAG.sub(" ", text).replace("``", '"').replace("''", '"')
    return " ".join(_AFTER.sub("", _BEFORE.sub("", text)).split())


def read_real_replies(path: Path, name: str) -> Iterator[tuple[str, str, str]]:
    """Read dialogue, knowledge and people's own reply."""
    for row in read_jsonl(path):
        yield f"{name}/{row['dialog']}", " ".join(row["knowledge"]), row["response"]
