"""Tests that every query of docs/cookbook.md gives the answer below it; ``make cookbook`` writes them anew."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.calling import q2

PATH = Path(__file__).parent.parent / "docs" / "cookbook.md"
RECIPE = re.compile(
    r"## (?P<title>.+?)\n(?P<words>(?:(?!^## ).)*?)```sql\n(?P<sql>.*?)```\n(?:\n```text\n(?P<answer>.*?)```\n)?",
    re.DOTALL | re.MULTILINE,
)
RECIPES = [found.groupdict() for found in RECIPE.finditer(PATH.read_text(encoding="utf-8"))]


def answer(sql, store):
    """Return the output of the query without blanks at the ends of lines."""
    done = q2("sql", sql, "--store", store, columns=180)
    assert done.code == 0, done.err
    return "".join(line.rstrip() + "\n" for line in done.out.splitlines())


def test_the_cookbook_answers_at_least_fifteen_questions():
    """The tests find every query of the cookbook."""
    text = PATH.read_text(encoding="utf-8")
    assert len(RECIPES) == text.count("```sql") == text.count("\n## ") >= 15


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe["title"])
def test_a_query_gives_the_answer_that_is_shown(recipe, scored):
    """The same rows and columns in the same order, and at least one of them."""
    found = answer(recipe["sql"], scored.store)
    assert len(found.splitlines()) > 1
    assert found == recipe["answer"]


def write_anew(store):
    """Put the answers of a store of the example log into the page."""
    os.environ["NO_COLOR"] = "1"

    def with_answer(found):
        sql = found["sql"]
        head = f"## {found['title']}\n{found['words']}```sql\n{sql}```\n"
        return head + f"\n```text\n{answer(sql, store)}```\n"

    text = PATH.read_text(encoding="utf-8")
    PATH.write_text(RECIPE.sub(with_answer, text), encoding="utf-8")


if __name__ == "__main__":
    write_anew(sys.argv[1])
