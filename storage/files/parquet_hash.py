"""Find and compute the SHA-256 of a Parquet file inside its own footer."""

import hashlib
from typing import Any, BinaryIO

PLACEHOLDER = b"0" * 64
"""The bytes in place of the hash while it is computed."""

_BLOCK = 1 << 20
# The Thrift encoding of the key, then the header of a string of 64 bytes.
_MARK = b"q2.sha256\x18\x40"
_TAIL = 8


def place_of_hash(handle: BinaryIO) -> int:
    """Return the offset of the hash in a Parquet file of a store; the last mark in the footer is ours.

    Texts of the data can stand in the footer (as statistics), but the metadata comes after them.

    Raises:
        ValueError: this is no Parquet file, or not a store's.
    """
    size = handle.seek(0, 2)
    if size < _TAIL:
        raise ValueError("it is too short")
    handle.seek(size - _TAIL)
    tail = handle.read(_TAIL)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != b"PAR1" or length > size - _TAIL:
        raise ValueError("it is not Parquet or is cut short")
    start = size - _TAIL - length
    handle.seek(start)
    found = handle.read(length).rfind(_MARK)
    if found < 0:
        raise ValueError("its footer states no hash")
    return start + found + len(_MARK)


def hash_around(handle: BinaryIO, place: int) -> str:
    """Return the SHA-256 of a file with zeros at ``place``, read in blocks."""
    digest = hashlib.sha256()
    handle.seek(0)
    _update(digest, handle, place)
    digest.update(PLACEHOLDER)
    handle.seek(place + len(PLACEHOLDER))
    _update(digest, handle, None)
    return digest.hexdigest()


def _update(digest: Any, handle: BinaryIO, length: int | None) -> None:
    while length is None or length > 0:
        block = handle.read(_BLOCK if length is None else min(_BLOCK, length))
        if not block:
            return
        digest.update(block)
        if length is not None:
            length -= len(block)
