"""The mapping of field names and the log format that a person states."""

from collections.abc import Sequence
from pathlib import Path

from qsquared.errors import UsageError
from qsquared.storage.logs.fields.mapping import parse_mapping, read_mapping_file
from qsquared.storage.logs.read_options import ReadOptions, joined_format, split_format
from qsquared.storage.logs.reading import check_format


def stated_mapping(
    pairs: Sequence[str], file: Path | None, file_format: str, options: ReadOptions | None = None
) -> tuple[dict[str, str], str]:
    """Return the mapping and the format of ``--map-file``, overridden by ``--map`` and ``--format``.

    Further ``options`` of reading become part of the format.

    Raises:
        UsageError: one of them cannot be used.
    """
    mapping, stated = read_mapping_file(file) if file is not None else ({}, "")
    own = parse_mapping(list(pairs))
    kept = {
        theirs: ours
        for theirs, ours in mapping.items()
        if theirs not in own and ours not in own.values()
    }
    wanted = file_format or stated
    try:
        check_format(wanted)
    except UsageError as error:
        origin = f" ({file} states it)" if not file_format else ""
        raise UsageError(error.message.rstrip(".") + f"{origin}.", error.hint) from error
    name, stated_options = split_format(wanted)
    given = (options or ReadOptions()).checked()
    merged = {**stated_options.to_json(), **given.to_json()}
    between = merged.pop("between", None)
    both = ReadOptions(**merged, between=(between[0], between[1]) if between else None)
    if both.described is not None and kept | own:
        raise UsageError(
            "--map and a description of a format exclude each other.", "Name the paths in it."
        )
    return kept | own, joined_format(name, both)
