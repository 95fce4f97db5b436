"""JSON files that are one array, or objects over several lines, are cut into their rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsquared.storage.logs.file_types import json_rows as json_values
from qsquared.storage.logs.file_types.detect import detect_file_type, iterate_rows
from qsquared.storage.logs.rows import RawRow, UnreadableRow

Log = Callable[..., Path]
ROWS = [{"id": str(i), "response": f'a [{{\\"{i}', "n": [{"x": ["]"]}]} for i in range(4)]


def outcomes(path: Path) -> list[Any]:
    """Fields of readable rows and reasons of others, each with its line."""
    return [
        (row.line, row.fields if isinstance(row, RawRow) else row.reason)
        for row in iterate_rows(path, file_type="json")
    ]


@pytest.mark.parametrize("block", [1, 7, 1 << 16])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_gives_its_objects_however_it_is_read(
    log: Log, monkeypatch: pytest.MonkeyPatch, block: int, indent: int | None
) -> None:
    """Brackets and quotes within texts cut nothing, whatever portions the file comes in."""
    monkeypatch.setattr(json_values, "_BLOCK", block)
    found = outcomes(log("x.json", b"\xef\xbb\xbf" + json.dumps(ROWS, indent=indent).encode()))
    assert [fields for _, fields in found] == ROWS
    assert [line for line, _ in found] == ([1] * 4 if indent is None else [2, 13, 24, 35])


def test_objects_over_several_lines_need_no_array(log: Log) -> None:
    """One document, or several one after another, as tools print them."""
    data = "\n".join(json.dumps(row, indent=1) for row in ROWS).encode()
    assert [fields for _, fields in outcomes(log("x.json", data))] == ROWS
    assert detect_file_type(log("x.jsonl", data)) == "json"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"[]", []),
        (b'[1, "a,b",\n null, {}]', [(1, "a number"), (1, "a text"), (2, "null"), (2, {})]),
        (b'[{"a": ]}, {"b": 1}]', [(1, "not valid JSON"), (1, {"b": 1})]),
        (b'[{"a": 1},\n{"b": ', [(1, {"a": 1}), (2, "ends early")]),
        (b'[{"a": 1}', [(1, {"a": 1}), (1, "ends early")]),
        (b'[{"a": 1}] {"b": 2} x', [(1, {"a": 1}), (1, {"b": 2}), (1, "not valid JSON")]),
        (b'[{"a": "\xff"}, {"b": "never closed', [(1, "UTF-8"), (1, "ends early")]),
    ],
)  # fmt: skip
def test_what_is_broken_costs_itself(log: Log, data: bytes, expected: list[Any]) -> None:
    """Scalars, broken values and a broken end are rejects with their line; the rest is read."""
    found = outcomes(log("x.json", data))
    assert [line for line, _ in found] == [line for line, _ in expected]
    for (_, got), (_, wanted) in zip(found, expected, strict=True):
        assert got == wanted if isinstance(wanted, dict) else wanted in got


def test_a_value_that_is_too_long_is_a_reject_and_takes_no_memory(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a value above the bound the beginning is kept; those around it are read."""
    monkeypatch.setenv("Q2_MAX_ROW_MB", "1")
    long = {"texts": ["x" * 1000] * 3000}
    found = list(iterate_rows(log("x.json", json.dumps([ROWS[0], long, ROWS[1]]).encode())))
    assert [row.fields for row in found if isinstance(row, RawRow)] == ROWS[:2]
    (reject,) = [row for row in found if isinstance(row, UnreadableRow)]
    assert "longer than 1 MB" in reject.reason
    assert len(reject.raw) <= 500


def test_a_text_without_an_end_ends_the_file(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an open quote no further row can be read."""
    monkeypatch.setenv("Q2_MAX_ROW_MB", "1")
    found = list(iterate_rows(log("x.json", b'[{"a": 1}, {"b": "' + b"x" * (5 << 20))))
    assert isinstance(found[0], RawRow)
    assert [row.reason[:30] for row in found[1:] if isinstance(row, UnreadableRow)][-1] == (
        "The file ends early: a bracket"
    )


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(anything, max_size=5), st.sampled_from([None, 1]))
def test_any_array_gives_one_row_for_each_value(values: list[Any], indent: int | None) -> None:
    """Objects come back as they were written, in order, and all else is a reject."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_text(json.dumps(values, indent=indent))
        found = list(iterate_rows(path, file_type="json"))
    assert len(found) == len(values)
    for row, value in zip(found, values, strict=True):
        assert (row.fields if isinstance(row, RawRow) else None) == (
            value if isinstance(value, dict) else None
        )
