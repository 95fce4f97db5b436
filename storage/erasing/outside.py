"""Find the files outside the store, written from it, that may hold words of turns to be erased."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsquared.storage.files.parquet import read_table
from qsquared.storage.records.written import written_files
from qsquared.storage.tables.registry import TURNS
from qsquared.storage.upkeep.absent import words_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from qsquared.storage.erasing.choosing import Chosen
    from qsquared.storage.store import Store

_MOST = 1000
_SHORTEST = 4


def files_outside(store: Store, chosen: Chosen) -> list[Path]:
    """Return the files that hold a reply, a question or an id of the chosen turns.

    Of more than a thousand texts none is searched for: then all files may hold one.

    Raises:
        DamagedFile: a table of turns cannot be trusted.
    """
    written = written_files(store)
    if not written or not chosen.number:
        return []
    texts: set[str] = set()
    for text in _texts(store, chosen):
        texts.add(text)
        if len(texts) > _MOST:
            return written
    words = sorted(texts)
    return [path for path in written if words_in(path, words)]


def _texts(store: Store, chosen: Chosen) -> Iterator[str]:
    for name, positions in chosen.turns.items():
        path, wanted = store.turns_path(name), set(positions)
        if not path.exists():
            continue
        for row in read_table(path, TURNS, name).to_pylist():
            if row["position"] in wanted:
                texts = (row["id"], row["response"] or "", *(row["history"] or [""])[-1:])
                yield from (text for text in texts if len(text.strip()) >= _SHORTEST)
