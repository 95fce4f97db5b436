"""Reader of BEGIN's first release: evidence, the turn before, a reply, and people's label of it."""

from pathlib import Path

from qsquared.errors import InputError
from qsquared.evaluation.data.files import (
    Dataset,
    Item,
    find_file,
    look_for,
    make_dataset,
    read_csv,
)
from qsquared.method.begin import CONTRADICTION, ENTAILMENT, LABELS, three_way

SPLITS = {
    "dev": ("begin_v1_dev.tsv", "dev_05_24_21.tsv"),
    "test": ("begin_v1_test.tsv", "test_05_24_21.tsv"),
}
"""Names of each split's file, ours first; that of the release second."""

_ORDER = {ENTAILMENT: 1.0, CONTRADICTION: 0.0}


def read_begin(data: Path) -> Dataset:
    """Read the splits that are there, or the one file that is given.

    The label of an item is 1 for entailment, 0 for contradiction and 0.5 for the other three;
    its five-way and three-way names are among its facts.

    Raises:
        InputError: neither split is there, or a label is not one of the five.
    """
    paths = {split: path for split in SPLITS if (path := _find(data, split))}
    if not paths:
        find_file(data, "begin", SPLITS["dev"][0])
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


def _find(data: Path, split: str) -> Path | None:
    """Return the file of a split; a path to a file is the development set unless its name has test."""
    if data.is_file():
        return data if split == ("test" if "test" in data.name else "dev") else None
    return look_for(data, *SPLITS[split])
