"""Loaders of labelled pairs: sets for natural language inference, collected rows, replies of BEGIN's classes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.training.mixture.reading import Reading, detokenise, read_jsonl, read_rows

NOT_ENTAILMENT = "not_entailment"
"""The label of sets that do not tell neutral from contradiction."""
_LABELS = {"entailment", "neutral", "contradiction", NOT_ENTAILMENT}


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


LONGEST_ANSWER = 15
"""Words of the longest answer that the reader learns; longer ones are sentences, not spans."""
LONGEST_JUDGED_ANSWER = 10
"""Words of the longest judged answer that is like a span of a reply."""

_TAG = re.compile(r"<[^>]{1,40}>")
_BEFORE = re.compile(r"\s+(?=[,.;:!?%)\]]|'s\b|n't\b|'(?:re|ve|ll|d|m)\b)")
_AFTER = re.compile(r"(?<=[(\[$])\s+")
_WORD = re.compile(r"\w+")


def read_pairs(
    path: Path, name: str, columns: Mapping[str, str], labels: Mapping[str, str]
) -> Iterator[Inference]:
    """Read pairs of premise and hypothesis, of JSON Lines or of a table between tabs.

    Args:
        path: the file, or a pattern of files.
        name: of the source.
        columns: ours (``premise``, ``hypothesis``, ``label``) → the source's, where they differ; a
            ``group`` keeps pairs on one side of the split, up to a "#"; without it one premise does.
        labels: the source's → ours, where they differ; rows of still others are left out.
    """
    of = {ours: columns.get(ours, ours) for ours in ("premise", "hypothesis", "label")}
    of["group"] = columns.get("group", of["premise"])
    for row in read_rows(path):
        label = labels.get(row[of["label"]], row[of["label"]])
        if label in _LABELS:
            group = f"{name}/{row[of['group']].partition('#')[0]}"
            premise, hypothesis = (_unquoted(row[of[part]]) for part in ("premise", "hypothesis"))
            yield Inference(group, premise, hypothesis, label)


def _unquoted(text: str) -> str:
    """Undo the quoting of a CSV field that was taken over as it stood, and the treebank's brackets."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    return " ".join(detokenise(text.replace('""', '"').split()))


def undecided(pairs: Iterator[Inference]) -> Iterator[Inference]:
    """Return claims beside evidence that shares their names, without those that it may decide.

    A claim is taken as undecided if a third or more of its words that are no names are not in the
    evidence, and its evidence says nothing word for word.
    """
    for pair in pairs:
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
