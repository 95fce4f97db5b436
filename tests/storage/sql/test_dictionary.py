"""Tests that the data dictionary equals the schemas."""

from qsquared.storage.sql.derived_views import SMALL_TABLES, VIEWS
from qsquared.storage.tables import TABLES
from tests.conftest import ROOT
from tests.storage.sql.dictionary import data_dictionary


def test_the_committed_dictionary_is_the_generated_one():
    """`make docs` would change nothing."""
    assert (ROOT / "docs" / "data-dictionary.md").read_text(encoding="utf-8") == data_dictionary()


def test_the_dictionary_has_every_column_with_meaning_and_null():
    """No table, column, type or meaning of NULL is left out."""
    text = data_dictionary()
    for table in TABLES:
        section = text.split(f"\n## {table.name}\n")[1].split("\n## ")[0]
        rows = [line for line in section.splitlines() if line.startswith("| `")]
        assert [row.split("`")[1] for row in rows] == [column.name for column in table.columns]
        for row, column in zip(rows, table.columns, strict=True):
            assert row.endswith(f"| {column.null or 'never'} |")
            assert str(column.type) in row


def test_every_column_is_explained_in_a_sentence():
    """A meaning ends as a sentence does, and names what it is about."""
    for table in TABLES:
        for column in table.columns:
            assert column.meaning.endswith("."), (table.name, column.name)


def test_every_view_is_in_the_dictionary():
    """Each with all its columns, each column explained in a sentence."""
    text = data_dictionary()
    for view in (*SMALL_TABLES, *VIEWS):
        section = text.split(f"\n## {view.name}\n")[1].split("\n## ")[0]
        rows = [line for line in section.splitlines() if line.startswith("| `")]
        assert [row.split("`")[1] for row in rows] == [column.name for column in view.columns]
        assert all(column.meaning.endswith(".") for column in view.columns), view.name
