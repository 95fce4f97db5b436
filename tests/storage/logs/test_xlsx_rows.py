"""Sheets of spreadsheets are read from their header on, with merged cells and empty rows."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from qsquared.errors import InputError, UsageError
from qsquared.storage.logs.file_types.detect import iterate_rows
from qsquared.storage.logs.read_options import ReadOptions
from qsquared.storage.logs.rows import RawRow, UnreadableRow

XML = "http://schemas.openxmlformats.org"
MAIN = f"{XML}/spreadsheetml/2006/main"
OF = f"{XML}/officeDocument/2006/relationships"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
RELATIONS = f'<Relationships xmlns="{XML}/package/2006/relationships"><Relationship Id="r1" '


def sheet_of(rows: list[list[str | None]]) -> str:
    """The rows of a sheet as XML."""
    lines = ""
    for number, row in enumerate(rows, start=1):
        cells = [
            f'<c r="{chr(65 + n)}{number}" t="inlineStr"><is><t>{text}</t></is></c>'
            for n, text in enumerate(row)
            if text
        ]
        lines += f'<row r="{number}">{"".join(cells)}</row>'
    return f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData>'


REPORT: list[list[str | None]] = [["Report"], ["Of November"]]


def workbook(
    path: Path,
    rows: list[list[str | None]],
    merged: str,
    before: str = "",
    first: list[list[str | None]] = REPORT,
) -> Path:
    """A workbook with one sheet, named Log, perhaps after another one."""
    files = {
        "[Content_Types].xml": f'<Types xmlns="{XML}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{KIND}.worksheet+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet2.xml" ContentType="{KIND}.worksheet+xml"/></Types>',
        "_rels/.rels": f'{RELATIONS}Type="{OF}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OF}"><sheets>'
        f'{before and f"""<sheet name="{before}" sheetId="2" r:id="r2"/>"""}'
        '<sheet name="Log" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{RELATIONS}Type="{OF}/worksheet" '
        f'Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="{OF}/worksheet" '
        'Target="worksheets/sheet2.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f"{sheet_of(rows)}"
        f'<mergeCells count="1"><mergeCell ref="{merged}"/></mergeCells></worksheet>',
        "xl/worksheets/sheet2.xml": f"{sheet_of(first)}</worksheet>",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, f'<?xml version="1.0"?>{text}')
    return path


@pytest.mark.parametrize("sheet", ["", "Log"])
def test_a_sheet_is_read_from_its_header_on(tmp_path: Path, sheet: str) -> None:
    """A title and empty rows are passed over, and a merged cell counts for each of its rows."""
    pytest.importorskip("python_calamine")
    table = [["Export of November"], [], ["Question", "Reply", "Article"], ["How long?", "30 days.", "Within 30 days."],
             ["And then?", "We pay.", None], [], ["Cost?", "4.90 euros.", "It costs 4.90 euros."]]  # fmt: skip
    book = workbook(tmp_path / "x.xlsx", table, "C4:C5")
    rows = list(iterate_rows(book, ["Reply"], options=ReadOptions(sheet=sheet)))
    assert [(row.line, row.fields["Article"]) for row in rows if isinstance(row, RawRow)] == [
        (4, "Within 30 days."),
        (5, "Within 30 days."),
        (7, "It costs 4.90 euros."),
    ]


def test_without_a_name_the_first_sheet_with_rows_is_read(tmp_path: Path) -> None:
    """A sheet that only says what the workbook is about comes first in many."""
    pytest.importorskip("python_calamine")
    note: list[list[str | None]] = [["About"]]
    book = workbook(tmp_path / "x.xlsx", [["Reply"], ["30 days."]], "A1:A1", "Note", note)
    rows = [row.fields for row in iterate_rows(book) if isinstance(row, RawRow)]
    assert rows == [{"Reply": "30 days."}]


def test_whole_numbers_are_no_fractions(tmp_path: Path) -> None:
    """The number of a conversation is the one that a person sees in its cell."""
    pytest.importorskip("python_calamine")
    book = workbook(tmp_path / "x.xlsx", [["Talk", "Reply"], ["@7", "30 days."]], "A1:A1")
    numbered = tmp_path / "numbered.xlsx"
    with zipfile.ZipFile(book) as old, zipfile.ZipFile(numbered, "w") as new:
        for name in old.namelist():
            text = old.read(name).decode()
            cell = '<c r="A2" t="inlineStr"><is><t>@7</t></is></c>'
            new.writestr(name, text.replace(cell, '<c r="A2"><v>7</v></c>'))
    rows = [row.fields for row in iterate_rows(numbered) if isinstance(row, RawRow)]
    assert rows == [{"Talk": 7, "Reply": "30 days."}]


def test_a_sheet_that_is_not_there_is_named_beside_those_that_are(tmp_path: Path) -> None:
    """The message says how the sheets of the workbook are named, or what to install."""
    book = workbook(tmp_path / "x.xlsx", [["Reply"], ["30 days."]], "A1:A1")
    with pytest.raises((UsageError, InputError), match=r"sheets are 'Log'|library") as refused:
        list(iterate_rows(book, options=ReadOptions(sheet="None")))
    assert "--sheet" in refused.value.hint or "Save the sheet as CSV" in refused.value.hint


def test_a_file_that_is_only_named_as_a_workbook_is_none(tmp_path: Path) -> None:
    """The message says so, and asks for no sheet."""
    pytest.importorskip("python_calamine")
    fake = tmp_path / "fake.xlsx"
    fake.write_text("no workbook")
    with pytest.raises(InputError, match=r"fake\.xlsx is no workbook") as refused:
        list(iterate_rows(fake))
    assert "--sheet" not in refused.value.hint


FACTS: list[list[str | None]] = [
    ["How long may I keep it?", "You may keep it for 30 days.", "Parcels may be kept for 30 days. Seals stay whole."],
    ["Who pays the label?", "You pay for the label.", "The customer pays for the label, which costs 4 euros."],
]  # fmt: skip


def test_a_first_row_that_is_data_is_read_and_the_columns_are_numbered(tmp_path: Path) -> None:
    """A sheet without a header has as many rows as it shows, but one of questions alone is a header."""
    pytest.importorskip("python_calamine")
    book = workbook(tmp_path / "x.xlsx", FACTS, "A1:A1")
    read = [row.fields for row in iterate_rows(book) if isinstance(row, RawRow)]
    assert [row["column 2"] for row in read] == [row[1] for row in FACTS]
    form = [["Which answer did the bot give?", "Was it of any help to you?"], ["30 days.", "Yes."]]
    book = workbook(tmp_path / "form.xlsx", [*map(list, form)], "A1:A1")
    assert [row.fields for row in iterate_rows(book) if isinstance(row, RawRow)] == [
        dict(zip(*form, strict=True))
    ]


def test_a_first_line_of_a_table_that_is_data_is_read(tmp_path: Path) -> None:
    """A mapping that names one of its cells takes it for the header that it is."""
    log = tmp_path / "x.csv"
    log.write_text("".join("|".join(map(str, row)) + "\n" for row in FACTS))
    assert [row.line for row in iterate_rows(log)] == [1, 2]
    assert [row.line for row in iterate_rows(log, [str(FACTS[0][1])])] == [2]


def test_a_total_below_a_sheet_is_no_turn(tmp_path: Path) -> None:
    """It has a number where all other rows have a text, and lacks what they have."""
    pytest.importorskip("python_calamine")
    header: list[str | None] = ["Question", "Reply", "Article"]
    book = workbook(tmp_path / "x.xlsx", [header, *FACTS, ["Total", "2", None]], "A1:A1")
    *rows, last = iterate_rows(book)
    assert len(rows) == len(FACTS)
    assert isinstance(last, UnreadableRow)
    assert "total" in last.reason
