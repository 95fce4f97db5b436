"""Tests that every query of docs/cookbook.md gives the answer below it; ``make cookbook`` writes them anew."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.calling import alike, q2

PATH = Path(__file__).parent.parent / "docs" / "cookbook.md"
RECIPE = re.compile(
    r"## (?P<title>.+?)\n(?P<words>(?:(?!^## ).)*?)```sql\n(?P<sql>.*?)```\n(?:\n```text\n(?P<answer>.*?)```\n)?",
    re.DOTALL | re.MULTILINE,
)
RECIPES = [found.groupdict() for found in RECIPE.finditer(PATH.read_text(encoding="utf-8"))]


ATTACHED = re.compile(r"--attach (\S+?)`")


def answer(recipe, stores):
    """Return the output of a recipe's query without blanks at the ends of lines.

    ``stores`` are those of the example log and of the log that some recipes name.
    """
    attached = [
        f"--attach={PATH.parent.parent / file}" for file in ATTACHED.findall(recipe["words"])
    ]
    store = stores["`examples/desk`" in recipe["words"]]
    done = q2("sql", recipe["sql"], "--store", store, *attached, columns=180)
    assert done.code == 0, done.err
    return "".join(line.rstrip() + "\n" for line in done.out.splitlines())


def test_the_cookbook_answers_at_least_fifteen_questions():
    """The tests find every query of the cookbook."""
    text = PATH.read_text(encoding="utf-8")
    assert len(RECIPES) == text.count("```sql") == text.count("\n## ") >= 15


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe["title"])
def test_a_query_gives_the_answer_that_is_shown(recipe, scored, desk):
    """The same rows and columns in the same order, and at least one of them."""
    found = answer(recipe, (scored.store, desk))
    assert len(found.splitlines()) > 1
    assert alike(found, recipe["answer"]), found


def write_anew(*stores):
    """Put the answers of the stores of the two example logs into the page."""
    os.environ["NO_COLOR"] = "1"

    def with_answer(found):
        sql = found["sql"]
        head = f"## {found['title']}\n{found['words']}```sql\n{sql}```\n"
        return head + f"\n```text\n{answer(found, stores)}```\n"

    text = PATH.read_text(encoding="utf-8")
    PATH.write_text(RECIPE.sub(with_answer, text), encoding="utf-8")


if __name__ == "__main__":
    write_anew(*sys.argv[1:])
