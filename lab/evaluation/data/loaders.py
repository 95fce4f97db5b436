"""Readers of the protocols' datasets, in the formats in which they were published."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from qsquared.errors import InputError
from qsquared.evaluation.data.files import (
    Dataset,
    Item,
    find_file,
    look_for,
    make_dataset,
    read_csv,
    read_jsonl,
)
from qsquared.method.begin import CONTRADICTION, ENTAILMENT, LABELS, three_way

SYSTEMS = ("dodeca", "memnet")
SPLITS = ("inconsistent", "consistent")
"""Systems and splits of the Q² paper's four files, in the order of its tables."""

KNOWLEDGE = ("own", "same dialogue", "within file", "across dialogues")
"""Origins of the knowledge in the protocol of random knowledge."""

BEGIN_SPLITS = {
    "dev": ("begin_v1_dev.tsv", "dev_05_24_21.tsv"),
    "test": ("begin_v1_test.tsv", "test_05_24_21.tsv"),
}
"""Names of each split's file, ours first; that of the release second."""

_ORDER = {ENTAILMENT: 1.0, CONTRADICTION: 0.0}


def read_q2_wow(data: Path) -> Dataset:
    """Read the 600 annotated responses of the Q² paper's four files."""
    items, paths = [], []
    for system in SYSTEMS:
        for split, label in (("consistent", 1.0), ("inconsistent", 0.0)):
            path = find_file(data, "q2-wow", f"{system}_{split}.csv")
            paths.append(path)
            for i, row in enumerate(read_csv(path)):
                unit = f"{system}/{split}/{i}"
                context = f"{row['episode_idx']}/{row['round']}"
                facts = {"system": system, "split": split, "dialogue": row["episode_idx"]}
                items.append(Item(unit, context, row["knowledge"], row["response"], label, facts))
    return make_dataset("q2-wow", items, dict.fromkeys(paths, "q2-wow"))


def read_cross_annotation(data: Path) -> Dataset:
    """Read the 544 contexts with both systems' responses; the file codes 0 = consistent."""
    path = find_file(data, "q2-wow", "cross_annotation.csv")
    items = [
        Item(
            f"{i}/{system}",
            str(i),
            row["knowledge"],
            row[f"{system}_response"],
            1.0 - float(row[f"{system}_label"]),
            {"system": system, "topic": row.get("topic", "")},
        )
        for i, row in enumerate(read_csv(path))
        for system in SYSTEMS
    ]
    return make_dataset("q2-system-level", items, {path: "q2-wow"})


def read_random_knowledge(data: Path, seed: int = 0) -> Dataset:
    """Read the responses of the four files and give each other knowledge (Q², table 10).

    It is that of another turn of the dialogue (where the files hold one), of another row of the
    response's own file, or of another dialogue.
    """
    original = read_q2_wow(data)
    rng = random.Random(seed)
    items = []
    for item in original.items:
        others = [other for other in original.items if other.knowledge != item.knowledge]
        pools = {
            "same dialogue": [o for o in others if _alike(o, item, "dialogue")],
            "within file": [o for o in others if _alike(o, item, "system", "split")],
            "across dialogues": [o for o in others if not _alike(o, item, "dialogue")],
        }
        for kind, pool in pools.items():
            if pool:
                drawn = rng.choice(sorted({other.knowledge for other in pool}))
                unit, facts = f"{item.unit}/{kind}", item.facts | {"knowledge": kind}
                items.append(Item(unit, item.cluster, drawn, item.response, 0.0, facts))
        items.append(replace(item, facts=item.facts | {"knowledge": "own"}))
    return Dataset("q2-random-knowledge", tuple(items), original.files, original.notes)


def _alike(first: Item, second: Item, *facts: str) -> bool:
    return all(first.facts[name] == second.facts[name] for name in facts)


def read_topical_chat(data: Path) -> Dataset:
    """Read USR's annotations of Topical-Chat: contexts with a fact, without the original reply.

    The label is "Uses Knowledge", the mean of the annotators, 0 to 1.
    """
    path = find_file(data, "topical-chat", "topical_chat.json")
    items = []
    contexts: dict[str, int] = {}
    for row in read_jsonl(path):
        fact, system = row.text("context").strip(), row.text("system_id")
        context = contexts.setdefault(row.text("source"), len(contexts))
        if fact in {"", "_nofact"} or system == "Original Ground Truth":
            continue
        label = float(row.get("scores", row)["groundedness"])
        unit, reply = f"{context}/{system}", row.text("system_output").strip()
        items.append(Item(unit, str(context), fact, reply, label, {"system": system}))
    return make_dataset("topical-chat", items, {path: "topical-chat"})


def read_dnli(data: Path) -> Dataset:
    """Read Dialogue NLI: persona sentence as knowledge, utterance as response (Q², section 3.3).

    Entailment is consistent; contradiction and neutral are not.
    Development rows tune the threshold, test rows are reported: the verified ones ("Test Gold",
    as in the paper) if their file is there, else all.
    """
    items, paths = [], []
    dev = find_file(data, "dnli", "dialogue_nli_dev.jsonl")
    verified = dev.with_name("dialogue_nli_verified_test.jsonl")
    gold = verified.is_file()
    test = verified if gold else find_file(data, "dnli", "dialogue_nli_test.jsonl")
    for split, path in (("dev", dev), ("test", test)):
        paths.append(path)
        for i, row in enumerate(read_jsonl(path)):
            unit, label = f"{split}/{i}", row.text("label").lower()
            known, said = row.text("sentence2"), row.text("sentence1")
            consistent = float(label in {"positive", "entailment"})
            items.append(
                Item(unit, unit, known, said, consistent, {"split": split, "label": label})
            )
    note = (
        "The test rows are those that people verified, as in the paper."
        if gold
        else "The test rows are all; the paper has those of dialogue_nli_verified_test.jsonl only."
    )
    return make_dataset("dnli", items, dict.fromkeys(paths, "dnli"), note)


_Sentence = tuple[str, int, int]
"""A sentence of a summary, and how many annotators call it consistent, and how many do not."""


def _read_summaries(path: Path) -> Iterator[tuple[str, str, list[_Sentence]]]:
    """Read the number of each summary, its article, and its sentences."""
    for i, row in enumerate(read_jsonl(path)):
        sentences = []
        for sentence in row["summary_sentences"]:
            said = [answer["response"] == "yes" for answer in sentence["responses"]]
            sentences.append((sentence.text("sentence"), sum(said), len(said) - sum(said)))
        yield str(i), row.text("article"), sentences


def read_qags_cnndm(data: Path) -> Dataset:
    """Read QAGS CNN/DM; a summary's label is its share of sentences that most call consistent."""
    return _read_judged(data, "qags-cnndm", "mturk_cnndm.jsonl")


def _read_judged(data: Path, name: str, file: str, *notes: str) -> Dataset:
    path = find_file(data, name, file)
    items = []
    for unit, article, sentences in _read_summaries(path):
        summary = " ".join(text for text, _, _ in sentences)
        label = fmean(yes > no for _, yes, no in sentences)
        votes = tuple((yes, no) for _, yes, no in sentences)
        items.append(Item(unit, unit, article, summary, label, {"votes": votes}))
    return make_dataset(name, items, {path: name}, *notes)


def read_qags_sentences(data: Path) -> Dataset:
    """Read QAGS CNN/DM by sentence; the sentences of a summary share a unit."""
    path = find_file(data, "qags-cnndm", "mturk_cnndm.jsonl")
    items = [
        Item(unit, unit, article, text, float(yes > no))
        for unit, article, sentences in _read_summaries(path)
        for text, yes, no in sentences
    ]
    return make_dataset("qags-sentences", items, {path: "qags-cnndm"})


def read_qags_xsum(data: Path) -> Dataset:
    """Read QAGS XSUM: summaries of one sentence each, beside the article as it is released.

    XSUM cut the first sentence off each article to be its reference summary.
    The paper puts that reference back (section 5), and the released articles begin with it.
    """
    note = (
        "The released articles begin with the reference summary, which XSUM had cut off and the "
        "paper puts back; the summary that is judged is no part of them."
    )
    return _read_judged(data, "qags-xsum", "mturk_xsum.jsonl", note)


def read_ranking(data: Path) -> Dataset:
    """Read sentence triplets (Falke et al. 2019): an article's sentence, a correct and a wrong claim."""
    name = "val_sentence_pairs.json"
    path = find_file(data, "ranking", name if look_for(data, name) else "pairs*.json*")
    items = []
    for i, row in enumerate(read_jsonl(path)):
        text = str(row.get("article_sent") or row["text"])
        for name, label in (("correct_sent", 1.0), ("incorrect_sent", 0.0)):
            items.append(Item(f"{i}/{name}", str(i), text, row.text(name), label))
    return make_dataset("ranking", items, {path: "ranking"})


def read_begin(data: Path) -> Dataset:
    """Read the splits that are there, or the one file that is given.

    The label of an item is 1 for entailment, 0 for contradiction and 0.5 for the other three;
    its five-way and three-way names are among its facts.

    Raises:
        InputError: neither split is there, or a label is not one of the five.
    """
    paths = {split: path for split in BEGIN_SPLITS if (path := _begin_file(data, split))}
    if not paths:
        find_file(data, "begin", BEGIN_SPLITS["dev"][0])
    items: list[Item] = []
    for split, path in paths.items():
        for number, row in enumerate(read_csv(path, "\t")):
            label = row.text("gold label").strip().lower()
            if label not in LABELS:
                raise InputError(
                    f"{path}, row {number + 1}: the label is {label!r}.",
                    f"The labels of BEGIN's first version are {', '.join(LABELS)}; later versions "
                    "have others.",
                )
            unit, evidence, reply = f"{split}/{number}", row.text("evidence"), row.text("response")
            facts = {"split": split, "label": label, "label3": three_way(label)}
            before = row.get("previous turn") or None
            order = _ORDER.get(label, 0.5)
            items.append(Item(unit, evidence, evidence, reply, order, facts, before))
    notes = []
    if "test" not in paths:
        notes.append("The test set is not there; these figures are of the development set.")
    return make_dataset("begin", items, dict.fromkeys(paths.values(), "begin"), *notes)


def _begin_file(data: Path, split: str) -> Path | None:
    """Return the file of a split; a path to a file is the development set unless its name has test."""
    if data.is_file():
        return data if split == ("test" if "test" in data.name else "dev") else None
    return look_for(data, *BEGIN_SPLITS[split])
