"""Tests that the interface for notebooks gives the values of the command line."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import polars as pl
import pytest

import qsquared
from qsquared.errors import UsageError
from qsquared.method.q2.explaining.explanation import explain
from qsquared.report.templates import to_html
from qsquared.storage.sql.queries import query
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store

KNOWLEDGE = "A checked bag on Petrel Air may weigh up to 23 kilograms."
REPLY = "A checked bag may weigh up to 28 kilograms."


@pytest.fixture(scope="module")
def turns(scored):
    """Some turns of the example log with their scores, among them every status."""
    with connect(Store.open(scored.store)) as connection:
        found = query(
            connection,
            "SELECT t.response, t.knowledge, s.q2, s.q2_without_nli, s.questions, t.pair_id, "
            "coalesce(t.status, s.status) AS status FROM turns t LEFT JOIN scores s USING (pair_id) "
            "QUALIFY row_number() OVER (PARTITION BY coalesce(t.status, s.status) ORDER BY line) <= 8",
        )
    assert {"scored", "fallback_nli", "empty_response", "no_knowledge"} <= set(found["status"])
    return found.to_dicts()


def test_scores_are_those_of_the_store(turns):
    """The same profile gives the same numbers as q2 score, whatever the replies stand among."""
    frame = qsquared.score([t["response"] for t in turns], [t["knowledge"] for t in turns]).frame
    assert isinstance(frame, pl.DataFrame)
    assert frame.height == len(turns)
    for row, turn in zip(frame.to_dicts(), turns, strict=True):
        assert row["status"] == turn["status"]
        assert row["questions"] == turn["questions"]
        for name in ("q2", "q2_without_nli"):
            assert row[name] == (
                None if turn[name] is None else pytest.approx(turn[name], abs=1e-6)
            )
        assert (row["reason"] is None) == (row["status"] == "scored")


def test_an_explanation_is_that_of_the_command(scored, turns):
    """Spans, questions and places equal those of q2 explain."""
    turn = next(turn for turn in turns if turn["status"] == "scored")
    made = qsquared.explain(turn["response"], turn["knowledge"]).to_json()
    with connect(Store.open(scored.store)) as connection:
        rows = query(
            connection,
            f"FROM evidence WHERE pair_id = '{turn['pair_id']}' ORDER BY span_index, rank",
        ).to_dicts()
    for name in ("question", "response_answer", "knowledge_answer", "passage", "verdict"):
        assert [q[name] for q in made["questions"]] == [row[name] for row in rows]
    # Probabilities of another batch differ in the last digits.
    expected = [row["score"] and pytest.approx(row["score"], abs=1e-5) for row in rows]
    assert [q["score"] for q in made["questions"]] == expected


def test_passages_stay_apart():
    """The answer names the passage of the list that it was found in."""
    told = qsquared.explain(REPLY, ["Fog is common in autumn.", KNOWLEDGE])
    (question,) = [q for q in told.content.kept if q.knowledge_answer]
    assert question.passage == 1
    assert KNOWLEDGE[question.knowledge_start : question.knowledge_end] == question.knowledge_answer


def test_the_blend_stands_beside_the_score():
    """It is the mean of its three parts, for replies that have a score."""
    frame = qsquared.score([REPLY, ""], [KNOWLEDGE, KNOWLEDGE], metric="blend").frame
    first, second = frame.to_dicts()
    assert first["blend"] == pytest.approx((first["q2"] + first["nli"] + first["token_f1"]) / 3)
    assert (second["blend"], second["status"]) == (None, "empty_response")


def test_what_has_no_score_says_why():
    """Empty replies and missing knowledge give a status, no number, and an explanation."""
    frame = qsquared.score(["", "The bag weighs nine kilos."], ["k", []])
    assert frame["q2"].to_list() == [None, None]
    assert frame["status"].to_list() == ["empty_response", "no_knowledge"]
    assert "not scored" in str(qsquared.explain("", "k"))
    assert "The response is empty." in qsquared.explain("", "k")._repr_html_()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: qsquared.score(["a"], []), "1 responses, but knowledge for 0"),
        (lambda: qsquared.score("a", "b"), "a list of them is needed"),
        (lambda: qsquared.score([None], ["k"]), "Number 0 holds NoneType"),
        (lambda: qsquared.explain(["a"], ["k"]), "list was given where one reply is explained"),
        (lambda: qsquared.score(["a"], [["k", 1]]), "holds int"),
        (lambda: qsquared.score(["a"], ["k"], metric="blue"), "no metric 'blue'"),
        (lambda: qsquared.score(["a"], ["k"], parameters={"x": 1}), "No metric has a parameter x"),
        (lambda: qsquared.score(["a"], ["k"], profile="x"), "no profile 'x'"),
        (lambda: qsquared.score(["a"], ["k"], metric=[]), "No metric is named"),
        (lambda: qsquared.score(["a"], ["k"], parameters=["variant"]), "are list and no dict"),
        (
            lambda: qsquared.score(["a"], ["k"], parameters={"variant": "x"}),
            "parameter variant is 'x'",
        ),
    ],
)
def test_a_mistake_is_reported_in_a_sentence(call, told):
    """The error names the given value and the valid ones."""
    with pytest.raises(UsageError, match=re.escape(told)) as caught:
        call()
    assert caught.value.hint


class Tags(HTMLParser):
    """The tags and the texts of a piece of HTML."""

    def __init__(self):
        super().__init__()
        self.tags, self.texts, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        """Note it."""
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        """Note it."""
        self.texts.append(data)


def read(html):
    """The HTML as a browser would take it apart."""
    found = Tags()
    found.feed(html)
    return found


def test_every_logged_word_is_escaped():
    """Markup in any text is shown as the text that it is, and no address is named."""
    nasty = "<script>alert('1')</script><img src=x onerror=\"alert(2)\">"
    span = {
        "span_index": 0,
        "start": 0,
        "end": 8,
        "text": nasty[:8],
        "kind": "entity",
        "label": nasty,
    }
    row = {
        "span_index": 0, "span": nasty, "question": nasty, "roundtrip": "kept", "response_answer": nasty,
        "knowledge_answer": nasty, "passage": 0, "knowledge_start": 1, "knowledge_end": 9, "nli_label": None,
        "verdict": "contradicted", "score": 0.0,
    }  # fmt: skip
    score = {"q2": 0.0, "q2_without_nli": 0.0, "status": "scored", "reason": nasty}
    html = to_html(explain(nasty, [nasty], [span], [row], score, history=[nasty]))
    found = read(html)
    assert set(found.tags) <= {
        "div",
        "p",
        "h3",
        "blockquote",
        "style",
        "mark",
        "span",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    assert {name for name, _ in found.attributes} <= {
        "class",
        "dir",
        "role",
        "aria-label",
        "tabindex",
        "scope",
        "data-label",
    }
    assert "".join(found.texts).count("<script>") >= 6
    assert "http" not in html


def test_no_hidden_character_comes_into_a_notebook():
    """A placeholder stands for what turns the text around or speaks to a terminal."""
    text = "a \u202eb\x1b[31m c\u2066"
    html = to_html(
        explain(text, [text], [], [], {"status": "error", "reason": text}, history=[text])
    )
    assert not {"\u202e", "\x1b", "\u2066"} & set(html)
    assert "".join(read(html).texts).count("a \ufffdb\ufffd[31m c\ufffd") == 4


def test_importing_the_package_is_quick():
    """Neither models, Prefect nor data frames are loaded before they are used."""
    code = "import qsquared, sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert not loaded & {"torch", "prefect", "polars", "spacy", "duckdb", "pyarrow", "pydantic"}
    assert set(qsquared.__all__) >= {"score", "explain"}
    with pytest.raises(AttributeError):
        qsquared.no_such_thing  # noqa: B018
