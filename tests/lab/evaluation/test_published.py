"""The published figures, rows that only a paper has, and measures by the published rules."""

import re
import tomllib
from importlib.resources import files

import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask

from qsquared.evaluation.measured import published
from qsquared.evaluation.protocols.published_rules import (
    bleu_of_order,
    published_bleu,
    published_overlap,
)
from qsquared.evaluation.report import cells
from qsquared.evaluation.statistics import alpha_of_two
from qsquared.method.bootstrap import Figure

TABLES = [
    (protocol, name, table)
    for protocol, tables in tomllib.loads(
        files("qsquared.evaluation").joinpath("published.toml").read_text(encoding="utf-8")
    ).items()
    for name, table in tables.items()
]


def test_every_published_table_names_its_place_in_a_paper():
    """The source names the paper and a table or section of it."""
    for protocol, name, table in TABLES:
        assert re.search(r"et al\. 20\d\d,.* (table|tables|section|sections) ", table["source"]), (
            protocol,
            name,
        )
        assert table["confirmed"], (protocol, name)


def test_only_tables_that_the_text_lacks_are_unconfirmed():
    """The numbers of questions of QAGS, and its ranking of sentences."""
    doubtful = {protocol for protocol, _, table in TABLES if "unconfirmed" in table}
    assert doubtful == {"qags-cnndm", "qags-xsum", "ranking"}


def test_a_figure_that_only_the_paper_has_stands_in_its_part():
    """It follows the rows of ours of the same part, without a figure of ours."""
    known = published("dnli", "table 6")
    ours = known.row("accuracy", "q2", Figure(0.7, None, 10))
    rows = known.complete([ours, known.row("other", "q2", Figure(0.1, None, 10))])
    assert [(row.part, row.metric) for row in rows] == [
        ("accuracy", "q2"),
        ("accuracy", "e2e_nli"),
        ("accuracy", "InferSent SNLI"),
        ("accuracy", "InferSent, hypothesis only"),
        ("other", "q2"),
    ]
    assert rows[2].figure.value is None
    assert rows[2].published == 0.4703


def test_a_published_interval_stands_behind_its_figure():
    """Tables 4 and 7 of Q² print one."""
    row = published("q2-system-level", "table 4").row(
        "all systems", "e2e_nli", Figure(0.9, None, 1000)
    )
    assert "0.922 (0.667 to 1.000)" in cells(row)


def test_a_measure_by_the_published_rules_has_the_published_figure():
    """Beside our own measure of the same name."""
    known = published("q2-wow", "table 2")
    row = known.row("dodeca consistent", "overlap_f1, published rules", Figure(0.4, None, 150))
    assert row.published == 0.426


def test_the_published_overlap_drops_stop_words_and_punctuation():
    """Case does not count: of "sea" and "deep" one word of two is shared."""
    assert published_overlap("The SEA!", "the deep sea.") == pytest.approx(2 / 3)
    assert published_overlap("the and of", "the and of") == 0


def test_the_published_bleu_lowers_the_case_of_the_knowledge_only():
    """A capital in the reply then costs; four equal lower-cased words are all found."""
    assert published_bleu("the sea is deep", "The Sea Is Deep") == pytest.approx(1)
    assert published_bleu("The Sea Is Deep", "The Sea Is Deep") < 0.5


def test_bleu_of_order_one_counts_words():
    """Words in another order count for BLEU-1 and not for BLEU-2."""
    assert bleu_of_order(1)("deep sea the", "the sea deep") == pytest.approx(1)
    assert bleu_of_order(2)("deep sea the", "the sea deep") < 0.9


def test_alpha_is_nltks():
    """Over items of two values and two to five annotators."""
    rng = np.random.default_rng(4)
    yes, no = rng.integers(0, 3, 40) + 1.0, rng.integers(0, 3, 40) + 0.0
    triples = [
        (str(i), str(item), "yes" if i < yes[item] else "no")
        for item in range(40)
        for i in range(int(yes[item] + no[item]))
    ]
    task = AnnotationTask(data=triples)
    assert alpha_of_two(yes, no) == pytest.approx(task.alpha())


def test_alpha_is_undefined_where_all_give_one_value():
    """Chance then explains all agreement."""
    assert np.isnan(alpha_of_two(np.array([3.0, 3.0]), np.array([0.0, 0.0])))
