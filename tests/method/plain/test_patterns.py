"""The data file of markup: its patterns are short and compile, and the code uses each of them."""

import re
import tomllib
from pathlib import Path

import pytest

from qsquared.method.plain.markup.patterns import pattern

PLAIN = Path(__file__).parents[3] / "method/plain"
WRITTEN = tomllib.loads((PLAIN / "markup/patterns.toml").read_text(encoding="utf-8"))
CODE = "".join(path.read_text(encoding="utf-8") for path in PLAIN.rglob("*.py"))


def written(value):
    """All strings within a value of the file."""
    if isinstance(value, str):
        return [value]
    values = value.values() if isinstance(value, dict) else value
    return [text for one in values for text in written(one)]


def test_no_written_pattern_is_long():
    """A person can read each: none has more than 300 characters."""
    parts = written([WRITTEN["patterns"], WRITTEN["fragments"], WRITTEN["prose"]])
    assert max(map(len, parts)) <= 300


@pytest.mark.parametrize("name", WRITTEN["patterns"])
def test_each_pattern_compiles_and_is_used(name):
    """A name that the code does not ask for would be a rule without effect."""
    assert pattern(name).groups >= 0
    of_a_family = re.match(r"((?:at_end_)?in)_(?:square|round|curly)$", name)
    assert f'"{name}"' in CODE or (of_a_family and f'f"{of_a_family[1]}_' in CODE)


@pytest.mark.parametrize("name", WRITTEN["words"])
def test_each_list_of_words_is_used(name):
    """The same holds for lists."""
    assert f'"{name}"' in CODE


@pytest.mark.parametrize("name", WRITTEN["fragments"])
def test_each_fragment_is_used(name):
    """Another pattern or fragment has it as a part."""
    assert f"%{name}%" in "".join(
        written([WRITTEN["patterns"], WRITTEN["fragments"], WRITTEN["prose"]])
    )
