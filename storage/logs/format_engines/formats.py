"""Descriptions of log formats: TOML files with the signs, the rows and the fields of a format.

A description has these keys; every path is one of `field_paths`, and of several the first that leads
to a value counts.

| key | meaning |
|---|---|
| ``about`` | the program and the version of its format |
| ``grounds`` | what counts as the knowledge of a reply, in words |
| ``engine`` | ``records``, ``messages`` or ``spans`` |
| ``known`` | signs, one of which shows a row to be of this format |
| ``sheet`` | the sheet of a workbook; ``*``: all, each as a list under its name |
| ``line`` | the field in which a collector (Docker, journald, CloudWatch) has each line of a server's log |
| ``lines`` | templates of the records of a server's log by the name of their event (`file_types.log_lines`) |
| ``rows`` | paths to the lists in which a row of the file holds the rows of the log |
| ``children`` | paths to the lists of spans within a span, or of messages within the one that they answer |
| ``failed`` | signs of a span that failed |
| ``inner`` | objects within a row whose fields count as the row's own |
| ``unit`` | a row is a whole ``call`` (or record), an ``exchange`` or a ``message`` of a conversation, or a \
``part`` of a record, whose rows have the same ``group`` |
| ``group`` | the names of the conversation or trace that rows with the same value belong to |
| ``prepare`` | the function for what no description can say, such as the events of a stream |
| ``glue`` | the text between two parts of one message |
| ``separator`` | the text between two passages in one text, or the bullet before each |
| ``read`` | fields that are read or repeated, and so not kept as metadata |
| ``never`` | fields that hold what a person expected, which is never knowledge |
| ``cut`` | the marks at which the texts at some paths are cut into parts (`fields.reshaped`) |
| ``join`` | the fields that are the same in rows of one turn, which follow each other, each with a passage |
| ``related`` | lists of a row whose objects belong to objects of another: those of ``rows`` whose ``key`` is \
the ``id`` of one of ``into`` become its field |
| ``fields`` | the paths of each part of a turn; ``each`` leads into a list that has the passages of one reply \
of the messages in each item, ``parent`` to the id of the message that a message answers (``^``: \
the one that holds it) |
| ``keep`` | the only metadata that is kept, with the paths of each; empty: all other fields |
| ``kinds`` | of spans: the kinds that reply, bring knowledge, wrap, hold the requests of a ``session``, or do none \
of these; of messages: \
the values of ``role`` that are the ``assistant``'s, a ``tool``'s or the ``system``'s; without a ``role`` the \
path of the ``content`` that a message has |
| ``examples`` | small logs with the turns that they give, which run as tests |

A sign is ``path``, ``!path`` (absent), ``path = one|two`` (one of these texts), ``path : kind`` (``text``,
``list``, ``object`` or ``messages``), or several of them with ``&``.
"""

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from qsquared.errors import UsageError
from qsquared.storage.files.remote_paths import is_remote
from qsquared.storage.logs.fields.field_paths import ABSENT, leads, value_at
from qsquared.storage.logs.fields.objects import mapping, parsed
from qsquared.storage.logs.fields.reshaped import Relation
from qsquared.storage.logs.format_engines.prepared.dialogues import PREPARE
from qsquared.storage.logs.messages.messages import read_message, read_messages
from qsquared.storage.logs.vocabulary import vocabulary
from qsquared.toml_files import read_toml

FOLDER = "Q2_FORMATS"
"""The environment variable that names a folder with a person's own descriptions, beside ``formats/`` of a store."""
_FOLDER = files("qsquared.storage.logs.formats")
_ROLES: frozenset[str] = frozenset({"user", "assistant", "system", "tool", "function"})
_KINDS: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str) and bool(value.strip()),
    "list": lambda value: isinstance(parsed(value), list),
    "object": lambda value: isinstance(parsed(value), dict),
    "messages": lambda value: bool(read_messages(value)),
    "message": lambda value: (found := read_message(value)) is not None and found.role in _ROLES,
}

_V = vocabulary("formats")
_ORDER, _LAST = _V.names("order"), _V.names("last")
"""Formats are tried in this order; others come between, and the last ones are the least specific."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A path that a row has, or that leads to one of some texts, or to a value of a kind."""

    path: str
    absent: bool = False
    values: frozenset[str] = frozenset()
    kind: str = ""

    def fits(self, fields: Mapping[str, Any]) -> bool:
        """Whether a row has the sign."""
        value = value_at(fields, self.path)
        if self.absent or value is ABSENT:
            return bool(self.absent and value is ABSENT)
        if self.kind:
            return _KINDS[self.kind](value)
        if not self.values:
            return bool(value != [])
        held = value if isinstance(value, list) else [value]
        return any(self._is(str(one)) for one in held if isinstance(one, str | int))

    def _is(self, text: str) -> bool:
        return text in self.values or any(
            one.endswith("*") and text.startswith(one[:-1]) for one in self.values
        )


def _signs(line: Any) -> tuple[Sign, ...]:
    if not isinstance(line, str):
        raise ValueError("give signs as texts")  # noqa: TRY004 - pydantic reads this one
    return tuple(_sign(one) for one in line.split("&"))


def _sign(text: str) -> Sign:
    path, _, values = (part.strip() for part in text.partition(" = "))
    path, _, kind = (part.strip() for part in path.partition(" : "))
    if not path or (kind and kind not in _KINDS):
        raise ValueError(f"give signs such as 'a', '!a', 'a = b', 'a : {'|'.join(_KINDS)}'")
    names = frozenset(values.split("|")) if values else frozenset()
    return Sign(path.removeprefix("!").strip(), path.startswith("!"), names, kind)


_LISTED = BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
Paths = Annotated[tuple[Annotated[str, StringConstraints(pattern=r"\S")], ...], _LISTED]
Names = Annotated[frozenset[str], _LISTED]
Signs = Annotated[tuple[Annotated[tuple[Sign, ...], BeforeValidator(_signs)], ...], _LISTED]
"""Lines of signs, of which one has to fit; a line fits if all its signs do."""


class Example(BaseModel):
    """The rows of a small log, as objects or as JSON, and the turns that they give."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    log: tuple[Any, ...]
    turns: tuple[Mapping[Literal["response", "knowledge", "history"], Any], ...]


class Format(BaseModel):
    """A format of logs, as its description states it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    about: str
    grounds: str = ""
    engine: Literal["records", "messages", "spans"]
    known: Signs = ()
    sheet: str = ""
    line: str = ""
    lines: Mapping[str, str] = Field(default_factory=dict)
    rows: Paths = ()
    children: Paths = ()
    failed: Signs = ()
    inner: Paths = ()
    unit: Literal["call", "exchange", "message", "part"] = "call"
    group: Paths = ()
    prepare: str = ""
    glue: str = "\n"
    separator: str = ""
    read: Names = frozenset()
    never: Names = frozenset()
    cut: Mapping[str, Annotated[Paths, Field(min_length=1)]] = {}
    join: Paths = ()
    related: tuple[Relation, ...] = ()
    fields: Mapping[str, Paths] = {}
    keep: Mapping[str, Paths] = {}
    kinds: Mapping[str, Annotated[tuple[str, ...], _LISTED]] = {}
    examples: tuple[Example, ...] = ()

    def view(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a row's fields with those of the objects that the format looks into."""
        objects = [mapping(fields.get(name)) for name in self.inner]
        inner = {key: held for one in objects for key, held in one.items()}
        return {**fields, **inner} if inner else fields

    def paths(self, part: str) -> tuple[str, ...]:
        """Return the paths of a part of a turn or span."""
        return self.fields.get(part, ())

    def held(self, view: Mapping[str, Any], part: str) -> Iterator[Any]:
        """Yield the values of a part of a turn, by each of its paths that leads to one."""
        paths = self.fields.get(part, ())
        if not leads(view, paths):
            return iter(())
        found = (value_at(view, path) for path in paths)
        return (value for value in found if value is not ABSENT)


def fits(lines: tuple[tuple[Sign, ...], ...], fields: Mapping[str, Any]) -> bool:
    """Whether a row has all signs of a line."""
    return any(all(sign.fits(fields) for sign in signs) for signs in lines)


def read_format(name: str, stated: Mapping[str, Any], origin: str) -> Format:
    """Return the format that a parsed description states.

    Raises:
        UsageError: a key is unknown or has a value of another kind; the message names both.
    """
    try:
        form = Format.model_validate({"about": name, **stated, "name": name})
    except ValidationError as error:
        # A misspelt key is missing, too.
        wrong = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        key = ".".join(map(str, wrong["loc"])).removesuffix(".[key]")
        inner = {"examples": Example, "related": Relation}.get(key.partition(".")[0], Format)
        told = {
            "extra_forbidden": f"there is no such key; the keys are {', '.join(inner.__annotations__)}",
            "missing": "it is missing",
            "tuple_type": "give a path or a list of paths",
        }.get(wrong["type"], wrong["msg"].removeprefix("Value error, "))
        raise _refusal(origin, key, told) from error
    for key in ("fields", "kinds"):
        parts = _V.table(key)[form.engine].split()
        for part in sorted(getattr(form, key).keys() - set(parts)):
            told = f"the {key} of the engine {form.engine} are {', '.join(parts) or 'none'}"
            raise _refusal(origin, f"{key}.{part}", told)
    if form.prepare not in PREPARE:
        raise _refusal(origin, "prepare", f"the functions are {', '.join(filter(None, PREPARE))}")
    if form.engine == "records" and not form.paths("response"):
        raise _refusal(origin, "fields.response", "it is missing: name the path of the reply")
    return form


def _refusal(origin: str, key: str, told: str) -> UsageError:
    return UsageError(
        f"The format {origin} is wrong at {key!r}: {told}.", "CONTRIBUTING.md has an example."
    )


def own_files(store: Path | None = None) -> dict[str, Path]:
    """Return a person's own descriptions by name: the TOML files in ``formats/`` of a store and in `Q2_FORMATS`.

    Args:
        store: the store; of one behind a URL no descriptions are read.

    Raises:
        UsageError: `Q2_FORMATS` names no folder.
    """
    named = os.environ.get(FOLDER, "").strip()
    folders = [store / "formats"] if store is not None and not is_remote(store) else []
    folders += [Path(named).expanduser()] if named else []
    if named and not folders[-1].is_dir():
        told = f"{FOLDER} names {named}, which is no folder."
        raise UsageError(told, "Name the folder of formats.")
    return {one.stem: one for folder in folders for one in sorted(folder.glob("*.toml"))}


def own_formats(store: Path | None = None) -> dict[str, Mapping[str, Any]]:
    """Return a person's own descriptions by name (`own_files`).

    Raises:
        UsageError: `Q2_FORMATS` names no folder, or a file is no description.
    """
    stated: dict[str, Mapping[str, Any]] = {}
    for name, path in own_files(store).items():
        stated[name] = read_toml("The format", path)
        read_format(name, stated[name], str(path))
    return stated


def description_of(name: str, store: Path | None = None) -> str:
    """Return the text of the description of a known format, or of a person's own.

    Raises:
        UsageError: there is no format of this name, or its file cannot be read.
    """
    own = own_files(store)
    if name not in {**own, **known_formats()}:
        told = f"There are {', '.join({**own, **known_formats()})}."
        raise UsageError(f"There is no format {name!r}.", told)
    if name in own:
        read_toml("The format", own[name])
    return own.get(name, _FOLDER / f"{name}.toml").read_text(encoding="utf-8")


@cache
def known_formats() -> dict[str, Format]:
    """Return the formats of other programs by name, in the order in which they are tried."""
    found = {one.name[:-5]: one for one in _FOLDER.iterdir() if one.name.endswith(".toml")}
    others = sorted(found.keys() - {*_ORDER, *_LAST})
    return {
        name: read_format(name, tomllib.loads(found[name].read_text(encoding="utf-8")), name)
        for name in (*_ORDER, *others, *_LAST)
    }
