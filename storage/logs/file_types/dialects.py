"""Detect the separator and the encoding of a CSV file, and read other encodings as UTF-8."""

import codecs
import csv
import io
import re
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from qsquared.storage.logs.file_types.compression import BlockStream, head_of, open_log
from qsquared.storage.logs.read_options import ReadOptions
from qsquared.storage.logs.rows import BOM
from qsquared.storage.logs.vocabulary import vocabulary

_V = vocabulary("encodings")

UTF8 = "utf-8"
HEAD = 1 << 16
_BLOCK = 1 << 20
_FARTHEST = 1 << 27
"""The bytes that are searched for the first one that is not ASCII."""
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_MOST_BAD = 0.3
_BLANKS = "\t\n\r\f\v"
_SEPARATORS = ",;\t|"
_SHOWN_LINES = 40
_FOREIGN = 0.5
_STRAY = {"\u00ff", "\u00fe"}
"""Characters of cp1252 that stray bytes look like more often than texts hold them."""
_SAMPLE = 1 << 14
_FEW = 3
_SAME_CHAOS = 0.02
_SAME_COHERENCE = 0.1
_STATED = re.compile(rb"(?:\xef\xbb\xbf)?sep=([^\r\n\"])\r?\n", re.IGNORECASE)
"""The first line by which Excel states the separator."""
_MARKS = dict.fromkeys((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), "utf-32")
_MARKS |= dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16")


def dialect(path: Path, file_type: str, options: ReadOptions) -> tuple[str, str]:
    """Return the encoding and the separator of a text file, as stated or as its bytes have them."""
    if file_type in {"csv", "tsv"} and not (options.encoding and options.separator):
        head = head_of(path, HEAD)[0]
        encoding = options.encoding or detect_encoding(_foreign_part(path, head))
        tabs = file_type == "tsv" and b"\t" in head
        return encoding, options.separator or ("\t" if tabs else detect_separator(head, encoding))
    encoding = options.encoding or marked_encoding(head_of(path)[0]) or UTF8
    return encoding, options.separator or ","


def _foreign_part(path: Path, head: bytes) -> bytes:
    """Return the beginning of a text, or the lines around its first byte that is not ASCII."""
    if not head.isascii() or len(head) < HEAD:
        return head
    buffered = open_log(path)[1]
    with buffered:
        blocks = iter(partial(buffered.read, _BLOCK), b"")
        for block in islice(blocks, _FARTHEST // _BLOCK):
            if first := _NOT_ASCII.search(block):
                line = block.rfind(b"\n", 0, first.start()) + 1
                return (block[line:] + buffered.readline(HEAD))[:HEAD]
    return head


def is_text(head: bytes) -> bool:
    """Whether the beginning of a file is readable text."""
    marked = marked_encoding(head)
    text = head.decode(marked or UTF8, "replace")
    controls = sum(character < " " and character not in _BLANKS for character in text)
    bad = controls + text.count("\ufffd")
    # Without either it may be a text in another encoding.
    other = not controls and not marked and detect_encoding(head) != UTF8
    return other or bad <= _MOST_BAD * len(text)


def marked_encoding(head: bytes) -> str | None:
    """Return the encoding that a byte order mark at the beginning names, None without one."""
    return next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)


def detect_encoding(head: bytes) -> str:
    """Return the encoding of a text by its beginning; UTF-8 if it is damaged UTF-8 rather than other."""
    if marked := marked_encoding(head):
        return marked
    if head.startswith(BOM) or head.isascii():
        return UTF8
    text = head.decode(UTF8, "replace")
    foreign = sum(character > "\x7f" for character in text) - text.count("\ufffd")
    damaged = _damages(head)
    # A character may be cut at the end of the beginning.
    cut = damaged == 1 and (foreign > 0 or not _damages(head[:-3]))
    return UTF8 if damaged == 0 or cut or damaged < _FOREIGN * foreign else _other(head)


def _damages(head: bytes) -> int:
    """Return the number of places that are no UTF-8; a replacement character of the text is none."""
    return head.decode(UTF8, "replace").count("\ufffd") - head.count("\ufffd".encode(UTF8))


def _other(head: bytes) -> str:
    """Return the encoding of a text that is no UTF-8, by its lines that are not ASCII."""
    sample = b"\n".join(line for line in head.split(b"\n") if not line.isascii())[:_SAMPLE]
    western = sample.decode("cp1252", "replace")
    foreign = [character for character in western if character > "\x7f"]
    stray = sum(character in _STRAY for character in foreign)
    if stray and (len(foreign) <= _FEW or 2 * stray >= len(foreign)):
        return UTF8
    # It takes as long to import as the rest of this room, and most logs are UTF-8.
    from charset_normalizer import from_bytes

    found = list(from_bytes(sample, cp_isolation=[*_V.names("usual"), *_V.names("longer")]))
    if not found:
        return "cp1252" if _is_western(western, foreign) else UTF8
    # Short texts are alike in several encodings; then the most frequent among tables counts.
    names = {
        name: one for one in found[::-1] for name in (one.encoding, *one.could_be_from_charset)
    }
    if found[0].encoding in _V.names("longer"):
        return found[0].encoding
    least = min(one.chaos for one in found)
    usual = [name for name in _V.names("usual") if name in names]
    alike = [name for name in usual if names[name].chaos <= least + _SAME_CHAOS]
    most = max(names[name].coherence for name in alike) if alike else 0.0
    near = [name for name in alike if names[name].coherence >= most - _SAME_COHERENCE]
    return near[0] if near else found[0].encoding


def _is_western(text: str, foreign: list[str]) -> bool:
    letters = sum(map(str.isalpha, foreign))
    words = sum(map(str.isalpha, text)) - letters
    return letters + 3 >= 0.5 * len(foreign) and len(foreign) <= 0.2 * max(words, 1)


def stated_separator(head: bytes) -> str | None:
    """Return the separator that the first line of a text states, None if it states none."""
    stated = _STATED.match(head)
    return stated[1].decode("latin-1") if stated else None


def detect_separator(head: bytes, encoding: str) -> str:
    """Return the separator with which the first records have most fields, all as many as the header.

    A first line such as ``sep=;`` states it.
    """
    if stated := stated_separator(head):
        return stated
    text = head.decode(encoding, "replace").removeprefix("\ufeff")
    # The last line of the beginning may be cut.
    whole, newline, _ = text.rpartition("\n")
    shown = whole if newline else text
    found = {separator: _fields(shown, separator) for separator in _SEPARATORS}
    best = max(_SEPARATORS, key=lambda separator: found[separator])
    return best if found[best][1] > 1 else ","


def _fields(text: str, separator: str) -> tuple[float, int]:
    """Return the share of records with as many fields as the header, and their number of fields."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    widths: list[int] = []
    with suppress(csv.Error):
        widths.extend(islice((len(record) for record in reader if record), _SHOWN_LINES))
    if not widths or widths[0] < 2:
        return 0.0, 1
    return sum(width == widths[0] for width in widths) / len(widths), widths[0]


def as_utf8(source: BinaryIO, encoding: str) -> BinaryIO:
    """Return the bytes of a text as UTF-8; a text in UTF-8 as it is."""
    if codecs.lookup(encoding).name in {"utf-8", "ascii"}:
        return source
    errors = "surrogateescape" if encoding.startswith(UTF8) else "replace"
    texts = codecs.iterdecode(iter(partial(source.read, HEAD), b""), encoding, errors)
    return io.BufferedReader(BlockStream(text.encode(UTF8, "replace") for text in texts), HEAD)
