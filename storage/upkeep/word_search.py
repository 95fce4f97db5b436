"""Search a store, and the files written from it, for words: values of tables, bytes of all other files."""

import html
import json
import mmap
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from qsquared.errors import UsageError
from qsquared.storage.files.atomic import local_copy
from qsquared.storage.files.remote_paths import working_folder
from qsquared.storage.records.runs import written_files
from qsquared.storage.store import Store

_SHORTEST = 3
_MARKUP = {".html", ".svg"}
_TAG = re.compile(r"<[^<>]*>")


def read_words(path: Path) -> list[str]:
    """Return the words to search for, one on each line of a file.

    Raises:
        UsageError: the file cannot be read or has no words, or one is too short to mean anything.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as text.", "Give one text a line.") from error
    words = list(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not words or min(map(len, words)) < _SHORTEST:
        raise UsageError(
            f"{path} has no texts to search for, or one of fewer than {_SHORTEST} characters.",
            "Give one text a line, such as a name, an address, or a sentence.",
        )
    return words


def found_words(store: Store, words: Sequence[str]) -> Iterator[tuple[Path, str, int]]:
    """Yield each file, and column of a table, that holds a word, with the number of the word's line.

    Case counts. A text within JSON is found as it is escaped there, one within a page as it is shown.
    """
    folders = {store.root.absolute(), working_folder(store.root).absolute()}
    inside = {path for folder in folders for path in folder.rglob("*") if path.is_file()}
    for path in [*sorted(inside), *(path for path in written_files(store) if path not in inside)]:
        for column, number in words_in(path, words):
            yield path, column, number


def words_in(path: Path, words: Sequence[str]) -> list[tuple[str, int]]:
    """Return the columns of a table in which words stand, with their numbers; of another file one is empty."""
    with local_copy(path) as copy:
        table = _in_table(copy, words) if path.suffix == ".parquet" else None
        if table is not None:
            return table
        numbers = set(_in_bytes(copy, words))
        if path.suffix in _MARKUP:
            numbers |= _in_page(copy, words)
    return [("", number) for number in sorted(numbers)]


def _forms(word: str) -> list[str]:
    """Return a word as it stands in a text and in CSV, and escaped once and twice in JSON."""
    forms = [word, word.replace('"', '""')]
    for as_ascii in (True, False):
        once = json.dumps(word, ensure_ascii=as_ascii)[1:-1]
        forms += [once, json.dumps(once, ensure_ascii=as_ascii)[1:-1]]
    return list(dict.fromkeys(forms))


def _in_table(path: Path, words: Sequence[str]) -> list[tuple[str, int]] | None:
    """Return (column, number of the word) for the texts of a table; None if it is none."""
    try:
        table = pq.ParquetFile(str(path)).read()
    except (pa.ArrowException, OSError):
        return None
    matches = []
    for name in table.column_names:
        values = table[name]
        while pa.types.is_list(values.type):
            values = pc.list_flatten(values)
        if not pa.types.is_string(values.type):
            continue
        for number, word in enumerate(words, start=1):
            if any(pc.any(pc.match_substring(values, form)).as_py() for form in _forms(word)):
                matches.append((name, number))
    return matches


def _in_bytes(path: Path, words: Sequence[str]) -> list[int]:
    """Return the numbers of the words that stand in a file, in UTF-8 or UTF-16."""
    if not path.stat().st_size:
        return []
    with path.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return [
            number
            for number, word in enumerate(words, start=1)
            if any(
                data.find(form.encode(coding)) >= 0
                for form in _forms(word)
                for coding in ("utf-8", "utf-16-le")
            )
        ]


def _in_page(path: Path, words: Sequence[str]) -> set[int]:
    """Return the numbers of the words that a page shows; marks may divide them, and lines break anywhere."""
    shown = html.unescape(_TAG.sub("", path.read_text(encoding="utf-8", errors="replace")))
    shown = "".join(shown.split())
    return {number for number, word in enumerate(words, start=1) if "".join(word.split()) in shown}
