"""BEGIN's first release: evidence, the turn before, a reply, and people's label of it."""

from __future__ import annotations

from pathlib import Path

from qsquared.errors import InputError
from qsquared.evaluation.data.files import describe_file, field_of, find_file, read_csv
from qsquared.evaluation.data.items import Dataset, Item
from qsquared.method.begin import CONTRADICTION, ENTAILMENT, LABELS, three_way

SPLITS = {
    "dev": ("begin_v1_dev.tsv", "dev_05_24_21.tsv"),
    "test": ("begin_v1_test.tsv", "test_05_24_21.tsv"),
}
"""Names of each split's file, ours first; that of the release second."""

_ORDER = {ENTAILMENT: 1.0, CONTRADICTION: 0.0}


def read_begin(data: Path) -> Dataset:
    """The splits that are there: the development set at least, or the one file that is given.

    The label of an item is 1 for entailment, 0 for contradiction and 0.5 for the other three;
    its five-way and three-way names are among its facts.

    Raises:
        InputError: neither split is there, or a label is none of the five.
    """
    paths = {split: path for split, names in SPLITS.items() if (path := _find(data, names))}
    if not paths:
        find_file(data, "begin", SPLITS["dev"][0])
    items: list[Item] = []
    hashes, notes = {}, []
    for split, path in paths.items():
        hashes[path.name], note = describe_file(path, "begin")
        notes += [note] if note else []
        for number, row in enumerate(read_csv(path, "\t")):
            label = str(field_of(row, "gold label", path)).strip().lower()
            if label not in LABELS:
                raise InputError(
                    f"{path}, row {number + 1}: the label is {label!r}.",
                    f"The labels of BEGIN's first version are {', '.join(LABELS)}; later versions "
                    "have others, and are read by `binary`.",
                )
            evidence = str(field_of(row, "evidence", path))
            items.append(
                Item(
                    f"{split}/{number}",
                    evidence,
                    evidence,
                    str(field_of(row, "response", path)),
                    _ORDER.get(label, 0.5),
                    {"split": split, "label": label, "label3": three_way(label)},
                    previous=str(row.get("previous turn") or "") or None,
                )
            )
    if "test" not in paths:
        notes.append("The test set is not there; these figures are of the development set.")
    return Dataset("begin", tuple(items), hashes, tuple(notes))


def _find(data: Path, names: tuple[str, ...]) -> Path | None:
    if data.is_file():
        test = "test" in data.name
        return data if test == ("test" in names[0]) else None
    for name in names:
        found = sorted(data.glob(name)) or sorted(data.glob(f"*/{name}"))
        if found:
            return found[0]
    return None
