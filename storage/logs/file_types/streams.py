"""Read the bytes of a plain, gzip or Zstandard file, as far as they are sound."""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING, BinaryIO, Protocol

import zstandard

from qsquared.storage.logs.rows import Limits, read_limits

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from pathlib import Path

    from _typeshed import WriteableBuffer

_BLOCK = 1 << 16
# The bytes that are unpacked at once stay below 32 MB: gzip makes at most 1,032 bytes of one, and Zstandard
# 128 KB of each four.
_PORTION = {"gzip": 1 << 14, "zstd": 1 << 10}
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


class _Decompress(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class BlockStream(io.RawIOBase):
    """The bytes of a generator's blocks, one after the other."""

    def __init__(self, blocks: Generator[bytes]) -> None:
        super().__init__()
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Whether bytes can be read: always."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill ``buffer`` with the next bytes; 0 at the end."""
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        view = memoryview(buffer).cast("B")
        count = min(len(view), len(self._rest))
        view[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        """End the generator, which closes its file."""
        self._blocks.close()
        super().close()


class LogStream(BlockStream):
    """The decompressed bytes of a file; a compressed file that is cut short simply ends.

    ``problem`` then says why it ended, so that the bytes before it are not lost.
    The first bytes decide on the compression, since servers often unpack files that they send.
    One that unpacks to more than ``limits`` allow raises an `InputError`.
    """

    def __init__(self, path: Path, size: int | None = None) -> None:
        super().__init__(self._read_blocks(path, size))
        self.problem: str | None = None
        self.limits = read_limits()

    def _read_blocks(self, path: Path, size: int | None) -> Generator[bytes]:
        with path.open("rb") as handle:
            blocks = _raw_blocks(handle, size)
            compression = compression_of(handle.read(4))
            handle.seek(0)
            if compression is None:
                yield from blocks
                return
            packed = path.stat().st_size if size is None else size
            unpacked = 0
            for block in self._decompressed(blocks, compression):
                unpacked += len(block)
                self.limits.check_expansion(path, packed, unpacked)
                yield block

    def _decompressed(self, blocks: Iterator[bytes], compression: str) -> Iterator[bytes]:
        state = _decompressor(compression)
        begun = False
        try:
            for block in _portions(blocks, _PORTION[compression]):
                data = block
                while data:
                    if not begun and not data.strip(b"\0"):
                        break  # tapes and some tools pad with zeros after the last member
                    begun = True
                    yield state.decompress(data)
                    data = b""
                    if state.eof:
                        data, state, begun = state.unused_data, _decompressor(compression), False
        except (zlib.error, zstandard.ZstdError) as error:
            self.problem = f"the {compression} data is damaged: {error}"
            return
        if begun:
            self.problem = f"the {compression} data is cut short"


def compression_of(head: bytes) -> str | None:
    """Return `gzip`, `zstd` or None by the first four bytes of a file."""
    if head.startswith(_GZIP):
        return "gzip"
    if head.startswith(_ZSTD):
        return "zstd"
    return None


def open_log(path: Path, size: int | None = None) -> tuple[LogStream, BinaryIO]:
    """Open a file's decompressed bytes, unbuffered and buffered.

    Args:
        path: the file.
        size: read no further than this many bytes of the file (it may still grow).
    """
    stream = LogStream(path, size)
    return stream, io.BufferedReader(stream, _BLOCK)


def _decompressor(compression: str) -> _Decompress:
    if compression == "gzip":
        return zlib.decompressobj(wbits=31)
    # Archives made with a long window need more than the default.
    return zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()


def read_line(handle: BinaryIO, limits: Limits) -> tuple[bytes, bool]:
    """Return the next line with its newline, and whether it is whole; empty at the end of the file.

    Of a line that is longer than a row may be only the beginning is kept; reading goes on after it.
    """
    line = handle.readline(limits.row_bytes + 1)
    if len(line) <= limits.row_bytes or line.endswith(b"\n"):
        return line, True
    kept = line[:_BLOCK]
    while line and not line.endswith(b"\n"):
        line = handle.readline(_BLOCK)
    return kept, False


def _portions(blocks: Iterable[bytes], size: int) -> Iterator[bytes]:
    for block in blocks:
        for start in range(0, len(block), size):
            yield block[start : start + size]


def _raw_blocks(handle: BinaryIO, size: int | None) -> Iterator[bytes]:
    left = size
    while left is None or left > 0:
        block = handle.read(_BLOCK if left is None else min(_BLOCK, left))
        if not block:
            return
        if left is not None:
            left -= len(block)
        yield block
