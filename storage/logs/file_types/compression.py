"""Read the bytes of a plain, gzip or Zstandard file, as far as they are sound."""

import io
import sys
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

from qsquared.errors import DeniedLogError, InputError
from qsquared.storage.logs.rows import Limits, read_limits

_BLOCK = 1 << 16
_HEAD = 1 << 13
_PORTIONS = {None: _BLOCK, "gzip": 1 << 14, "zstd": 1 << 10}
"""The bytes that are read at once: those that are unpacked from them stay below 32 MB.

gzip makes at most 1,032 bytes of one, and Zstandard 128 KB of each four.
"""
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


class BlockStream(io.RawIOBase):
    """The bytes of a generator's blocks, one after the other."""

    def __init__(self, blocks: Generator[bytes]) -> None:
        super().__init__()
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Whether bytes can be read: always."""
        return True

    def readinto(self, buffer: Any, /) -> int:
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
            compression = compression_of(handle.read(4))
            handle.seek(0)
            blocks = _raw_blocks(handle, size, _PORTIONS[compression])
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
        state: Any = None
        try:
            for block in blocks:
                data = block
                while data:
                    if state is None and not data.strip(b"\0"):
                        break  # tapes and some tools pad with zeros after the last member
                    state = state or _decompressor(compression)
                    yield state.decompress(data)
                    data = b""
                    if state.eof:
                        data, state = state.unused_data, None
        except (zlib.error, zstandard.ZstdError) as error:
            self.problem = f"the {compression} data is damaged: {error}"
            return
        if state is not None:
            self.problem = f"the {compression} data is cut short"


def compression_of(head: bytes) -> str | None:
    """Return `gzip`, `zstd` or None by the first four bytes of a file."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


def open_log(path: Path, size: int | None = None) -> tuple[LogStream, BinaryIO]:
    """Open a file's decompressed bytes, unbuffered and buffered.

    Args:
        path: the file.
        size: read no further than this many bytes of the file (it may still grow).
    """
    stream = LogStream(path, size)
    return stream, io.BufferedReader(stream, _BLOCK)


def head_of(path: Path, size: int = _HEAD) -> tuple[bytes, str | None]:
    """Return the first bytes of a log, unpacked, and why they may end early.

    Raises:
        InputError: it cannot be opened.
    """
    try:
        stream, buffered = open_log(path)
        with buffered:
            return buffered.read(size), stream.problem
    except PermissionError as error:
        raise DeniedLogError(
            f"The log {path} may not be read by this user: {error.strerror}.",
            "Have its owner give you the right to read it (chmod, chown).",
        ) from error
    except OSError as error:
        raise InputError(
            f"The log {path} cannot be opened: {error.strerror}.", "Check the path."
        ) from error


def read_lines(handle: BinaryIO, limits: Limits) -> Iterator[tuple[bytes, bool]]:
    """Yield each line with its newline, and whether it is whole.

    Of a line that is longer than a row may be only the beginning is kept; reading goes on after it.
    """
    while line := handle.readline(limits.row_bytes + 1):
        if len(line) <= limits.row_bytes or line.endswith(b"\n"):
            yield line, True
            continue
        yield line[:_BLOCK], False
        while line and not line.endswith(b"\n"):
            line = handle.readline(_BLOCK)


def _decompressor(compression: str) -> Any:
    if compression == "gzip":
        return zlib.decompressobj(wbits=31)
    # Archives made with a long window need more than the default.
    return zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()


def _raw_blocks(handle: BinaryIO, size: int | None, most: int) -> Iterator[bytes]:
    left = sys.maxsize if size is None else size
    while block := handle.read(min(most, left)):
        left -= len(block)
        yield block
