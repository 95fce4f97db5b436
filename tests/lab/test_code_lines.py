"""Tests of the count of code lines."""

from lab.code_lines import RELEASE, code_lines, count_rooms, table
from tests.conftest import ROOT

MODULE = '''"""A module.

Its docstring has three lines.
"""

# A comment.
NAME = """two
lines"""
"""A docstring of a name."""


class Room:
    """A class."""

    def size(self):  # a comment beside code
        """A function."""
        return (
            1
        )
'''


def test_blanks_comments_and_docstrings_do_not_count():
    """A text of two lines that is no docstring counts twice."""
    assert code_lines(MODULE) == 7
    assert code_lines("") == 0


def test_a_module_belongs_to_the_innermost_room(tmp_path):
    """The readers of logs are counted apart from the rest of the storage."""
    for name in ("storage/keys.py", "storage/logs/formats/csv.py", "lab/lines.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("A = 1\n")
    assert count_rooms(tmp_path) == {"lab": (1, 1), "storage": (1, 1), "storage/logs": (1, 1)}


def test_growth_since_the_release_is_seen():
    """Each room has both figures and their difference, a room that is gone counts as zero."""
    shown = table({"flows": (90, 2)}, {"flows": (100, 3), "lab/supply": (7, 1)})
    assert shown.splitlines()[1].split() == ["flows", "90", "100", "-10", "2", "3"]
    assert shown.splitlines()[2].split() == ["lab/supply", "0", "7", "-7", "0", "1"]
    assert shown.splitlines()[-1].split() == ["=", "product", "90", "100", "-10", "2", "3"]


def test_every_room_of_the_release_is_a_folder():
    """The kept figures name rooms as the count does."""
    assert RELEASE.exists()
    assert set(count_rooms(ROOT)) >= {"flows", "lab/training", "storage/logs"}
