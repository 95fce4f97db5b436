"""Options of reading a log beside its format, and one text that holds both.

The text is what ``--format`` takes, with the options as a JSON object behind it:
``csv {"separator": ";"}``.
The text is kept with each log in the store, so that equal content read otherwise is another input.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

from qsquared.errors import UsageError

_TAB = {"tab", "\\t", "\t"}


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ReadOptions:
    """The options that a person stated; empty ones are detected.

    ``separator`` and ``encoding`` are those of a CSV file, ``time_form`` the form of times as in
    ``strptime``, ``between`` the texts around the passages in a prompt, ``described`` the description of
    a format of the person's own, ``rows`` the path of the list that holds the rows of a known
    format, ``sheet`` the name of the sheet of a workbook, ``*`` for all of them.
    """

    separator: str = ""
    encoding: str = ""
    time_form: str = ""
    between: tuple[str, str] | None = None
    described: Mapping[str, Any] | None = None
    rows: str = ""
    sheet: str = ""

    @property
    def read_sheet(self) -> str:
        """The sheet that is read: the one stated beside a description of a format, else the one in it."""
        return self.sheet or str((self.described or {}).get("sheet", ""))

    @property
    def lines(self) -> Mapping[str, str]:
        """The templates of the records of a server's log, by name, which a description states."""
        return dict((self.described or {}).get("lines", {}))

    @property
    def line(self) -> str:
        """The path to the field with each line of a server, which a description states."""
        return str((self.described or {}).get("line", ""))

    def to_json(self) -> dict[str, Any]:
        """The options that are stated, as a JSON object."""
        return {name: value for name, value in vars(self).items() if value}

    def checked(self) -> ReadOptions:
        """Return the options, refusing those that no log can be read with.

        Raises:
            UsageError: a separator is no single character, an encoding is unknown, or a mark is empty.
        """
        separator = "\t" if self.separator in _TAB else self.separator
        if len(separator) > 1 or separator in {"\n", "\r", '"'}:
            raise UsageError(
                f"--separator is {self.separator!r}.", "Give one character, such as ';', or tab."
            )
        if self.encoding:
            try:
                codecs.lookup(self.encoding)
            except LookupError as error:
                raise UsageError(
                    f"--encoding is {self.encoding!r}, which is no known encoding.",
                    "Give a name such as utf-8, cp1252, latin-1, utf-16 or shift_jis.",
                ) from error
        if self.between is not None and not self.between[0]:
            raise UsageError(
                "--context-between has an empty first mark.",
                "Give the text before the passages and the text after them; '' if nothing comes after.",
            )
        return replace(self, separator=separator)


_STATED = TypeAdapter(ReadOptions)


def split_format(text: str) -> tuple[str, ReadOptions]:
    """Return the format in a text, and its options.

    Raises:
        UsageError: the options are not of the documented form.
    """
    name, brace, rest = text.partition("{")
    if not brace:
        return text.strip(), ReadOptions()
    try:
        return name.strip(), _STATED.validate_json(brace + rest).checked()
    except ValueError as error:
        raise UsageError(
            f"The options of --format cannot be read: {brace}{rest}.",
            'They are a JSON object, as in: csv {"separator": ";", "encoding": "cp1252"}',
        ) from error


def joined_format(name: str, options: ReadOptions) -> str:
    """Return a format and its options as one text."""
    stated = options.to_json()
    return f"{name} {json.dumps(stated, sort_keys=True)}".strip() if stated else name
