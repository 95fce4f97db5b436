"""``q2 explain`` shows why a reply got its score."""

import csv
import json
import re

import pytest

from qsquared.storage.sql.queries import query
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store
from tests.calling import alike, q2
from tests.cli.picture import PICTURE, draw


@pytest.fixture(scope="module")
def rows(scored):
    """A function from SQL to rows as dicts."""
    with connect(Store.open(scored.store)) as connection:
        yield lambda sql: query(connection, sql).to_dicts()


def test_an_explanation_holds_everything_that_made_the_score(scored, rows):
    """History, reply, knowledge, each question with both answers and verdict, and the mean."""
    (turn,) = rows("FROM turns WHERE id = '1117-004'")
    evidence = rows(f"FROM evidence WHERE pair_id = '{turn['pair_id']}'")
    (score,) = rows(f"FROM scores WHERE pair_id = '{turn['pair_id']}'")
    done = q2("explain", "1117-004", "--all", "--store", scored.store, columns=400)
    assert done.code == 0
    assert f"1117-004  ({turn['source']}:4)" in done.out
    assert len(turn["history"]) == 7
    assert all(f"… {said}" in done.out for said in turn["history"])
    assert f"reply      {turn['response']}" in done.out
    assert all(passage in done.out for passage in turn["knowledge"])
    assert f"Q² {score['q2']:.2f}, without NLI {score['q2_without_nli']:.2f}" in done.out
    assert evidence
    for row in evidence:
        lines = [line for line in done.out.splitlines() if row["question"] in line]
        if row["roundtrip"] == "kept":
            assert any(
                row["response_answer"] in line
                and (row["knowledge_answer"] or "—") in line
                and row["verdict"].replace("_", " ") in line
                and line.rstrip().endswith(f"{row['score']:.2f}")
                for line in lines
            )
        else:
            assert any(row["span"] in line and "→" in line for line in lines)


def test_each_kept_question_shows_what_the_knowledge_says(scored, rows):
    """Each question's row shows the answer on the knowledge."""
    (found, *_) = rows(
        "SELECT t.id, e.* FROM evidence e JOIN turns t USING (pair_id) "
        "WHERE e.knowledge_answer IS NOT NULL AND e.decided_by = 'nli' ORDER BY t.id"
    )
    done = q2("explain", found["id"], "--store", scored.store, columns=400)
    lines = [line for line in done.out.splitlines() if found["question"] in line]
    assert any(
        found["knowledge_answer"] in line and f"NLI {found['nli_label']}" in line for line in lines
    )


def test_a_fallback_is_explained_as_one(scored):
    """The output has the end-to-end verdict and the reason for having no question."""
    table = list(csv.DictReader(scored.table.open()))
    row = next(row for row in table if row["status"] == "fallback_nli")
    done = q2("explain", row["id"], "--store", scored.store)
    assert f"(end-to-end NLI: {row['nli_label']}). {row['reason']}" in done.out


@pytest.mark.parametrize("status", ["empty_response", "no_knowledge"])
def test_a_turn_that_was_not_scored_says_why(scored, status):
    """The status and its sentence stand in place of the score."""
    row = next(r for r in csv.DictReader(scored.table.open()) if r["status"] == status)
    done = q2("explain", row["id"], "--store", scored.store)
    assert done.code == 0
    assert f"Not scored ({status}): {row['reason']}" in done.out


def test_an_unknown_id_names_the_nearest(scored):
    """A mistyped id is an error that offers those most like it."""
    done = q2("explain", "1117-04", "--store", scored.store)
    assert done.code == 2
    assert "has the id '1117-04'." in done.err
    assert "The nearest are: 1117-0" in done.err
    assert len(done.err.split("The nearest are: ")[1].split(", ")) == 3


def test_turns_beside_an_unknown_id_are_explained(scored):
    """The error comes behind them."""
    done = q2("explain", "1116-024", "nothing", "--json", "--store", scored.store)
    assert done.code == 2
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == ["1116-024"]
    assert "has the id 'nothing'." in done.err


def test_an_empty_store_has_nothing_to_explain(tmp_path):
    """Without turns the hint is to score a log."""
    Store.open(tmp_path, create=True)
    done = q2("explain", "x", "--store", tmp_path)
    assert done.code == 2
    assert "score a log first" in done.err


def test_turns_that_share_an_id_are_all_explained(awkward):
    """Each comes with its place in the log."""
    done = q2("explain", "a1", "--store", awkward.store, columns=400)
    assert [f"a.jsonl:{line})" in done.out for line in (1, 10, 12)] == [True] * 3


def test_a_profile_that_did_not_score_the_turn_says_so(scored):
    """No score of one profile is shown as another's."""
    done = q2("explain", "1117-004", "--store", scored.store, "--profile", "paper")
    assert done.code == 0
    assert "Not scored with the profile paper yet" in done.out
    assert "Q² 0" not in done.out
    assert "Q² 1" not in done.out


def test_escape_codes_in_a_log_do_not_reach_the_terminal(awkward):
    """Control characters of a reply are shown as placeholders, everywhere."""
    shown = [
        q2("explain", "a1", "--store", awkward.store),
        q2("explain", "a9", "--store", awkward.store),
        q2("sql", "SELECT response FROM turns", "--store", awkward.store),
        awkward.outcome,
    ]
    for done in shown:
        assert done.code == 0
        assert "\x1b" not in done.out
        assert "\x07" not in done.out
    assert "\ufffd[2Jbuilt the lighthouse" in shown[0].out
    assert "\ufffd]0;owned\ufffd" in shown[1].out
    stored = q2("sql", "SELECT response FROM turns", "--json", "--store", awkward.store)
    responses = [json.loads(line)["response"] for line in stored.out.splitlines()]
    assert any("\x1b" in response for response in responses)


def test_what_pulls_a_score_down_is_reported_by_how_much(scored, rows):
    """Span by span, and together what the reply lacks."""
    (turn,) = rows("FROM turns WHERE id = '1116-024'")
    (score,) = rows(f"FROM scores WHERE pair_id = '{turn['pair_id']}'")
    done = q2("explain", "1116-024", "--store", scored.store, columns=400)
    table = done.out.split("what pulls Q² down")[1].split("\nquestion ")[0]
    pulls = [float(found) for found in re.findall(r" (\d\.\d\d) +\S+ *$", table, re.MULTILINE)]
    assert "up to 28 kilograms" in table
    assert sum(pulls) == pytest.approx(1 - score["q2"], abs=0.02)


def test_spans_that_are_supported_less_surely_share_a_row(scored, rows):
    """With --all each has its own; together they pull as much."""
    (turn, *_) = rows(
        "SELECT t.id FROM turns t JOIN evidence e USING (pair_id) "
        "WHERE e.verdict = 'supported' AND e.score < 0.95 "
        "GROUP BY t.id HAVING count(DISTINCT e.span_index) > 2 ORDER BY t.id"
    )
    tables = []
    for options in [(), ("--all",)]:
        done = q2("explain", turn["id"], *options, "--store", scored.store, columns=400)
        table = done.out.split("what pulls Q² down")[1].split("\nquestion ")[0]
        tables.append(re.findall(r"^(.*?) +supported, .* (\d\.\d\d) +\S+ *$", table, re.MULTILINE))
    ((words, together),), each = tables
    assert words == f"{len(each)} other spans"
    assert float(together) == pytest.approx(sum(float(pull) for _, pull in each), abs=0.05)


def test_programs_get_the_same_as_json(scored, rows):
    """Each turn one object, with place, spans, questions and the log's other fields."""
    (turn,) = rows("FROM turns WHERE id = '1117-004'")
    done = q2("explain", "1117-004", "--json", "--store", scored.store)
    told = json.loads(done.out)
    assert (told["source"], told["line"]) == (turn["source"], 4)
    assert told["response"] == turn["response"]
    assert told["metadata"]["bot_version"]
    evidence = rows(f"FROM evidence WHERE pair_id = '{turn['pair_id']}' ORDER BY span_index, rank")
    assert [q["question"] for q in told["questions"]] == [row["question"] for row in evidence]


def test_an_answer_out_of_several_passages_names_its_own(scored, rows):
    """Passage and place stand in the table, and cut out the answer."""
    (found, *_) = rows(
        "SELECT t.id, t.knowledge, e.* FROM evidence e JOIN turns t USING (pair_id) "
        "WHERE len(t.knowledge) > 1 AND e.passage = 1 ORDER BY t.id"
    )
    start, end = found["knowledge_start"], found["knowledge_end"]
    assert found["knowledge"][1][start:end] == found["knowledge_answer"]
    done = q2("explain", found["id"], "--store", scored.store, columns=400)
    (line, *_) = [line for line in done.out.splitlines() if found["question"] in line]
    assert f"2, at {start}" in line


def test_the_picture_of_the_readme_is_what_the_command_prints(scored):
    """`make images` has been run since the output last changed; the picture asks no other machine."""
    drawn = draw(scored.store)
    score = re.compile(r"\d\.\d\d")
    of_here, shown = (score.sub(" \\g<0> ", text) for text in (drawn, PICTURE.read_text("utf-8")))
    assert alike(of_here, shown)
    assert not re.search(r"https?://(?!www\.w3\.org|www\.textualize\.io)", drawn)


@pytest.mark.parametrize("asked", [(), ("--json",)])
def test_a_reply_is_explained_without_a_store(tmp_path, asked):
    """Its text and its passages are given; nothing is written."""
    texts = [
        "--response",
        "The Louvre is in Paris.",
        "--knowledge",
        "The Louvre is in Paris, France.",
    ]
    done = q2("explain", *texts, *asked, "--store", tmp_path / "none")
    assert done.code == 0
    assert not (tmp_path / "none").exists()
    if asked:
        found = json.loads(done.out)
        assert found["response"] == texts[1]
        assert found["knowledge"] == [texts[3]]
        assert found["q2"] is not None
    else:
        assert "reply      The Louvre is in Paris." in done.out
        assert "Q² " in done.out


@pytest.mark.parametrize(
    "asked",
    [(), ("--response", "Yes."), ("1117-004", "--knowledge", "x"), ("--knowledge", "x")],
)
def test_what_to_explain_is_said_in_one_way(asked):
    """A turn and a text, or a text without knowledge, is an error that shows both ways."""
    done = q2("explain", *asked)
    assert done.code == 2
    assert "q2 explain --response TEXT --knowledge TEXT" in done.err
