"""``q2 gate`` over the example log: verdicts, exit codes, and JSON."""

import json

import pytest

from tests.calling import q2
from tests.conftest import ROOT
from tests.webhooks import receiving

LIMITED = """
[[gate]]
kind = "inconsistency"
group = "bot_version"
limit = 0.4

[[gate]]
kind = "rise"
group = "bot_version"

[[gate]]
kind = "rejects"
limit = 0.5
"""


@pytest.fixture
def rules(tmp_path):
    """A file of rules that the last day of the example log breaks."""
    path = tmp_path / "gates.toml"
    path.write_text(LIMITED)
    return path


def test_a_broken_gate_has_an_exit_code_of_its_own(scored, rules, tmp_path):
    """A broken gate exits with 3, is named in a sentence, and its JSON is still written."""
    file = tmp_path / "new" / "gates.json"
    done = q2("gate", "--store", scored.store, "--rules", rules, "--json", file)
    assert done.code == 3, done.err
    assert "2026-11-18: the gate 'inconsistency by bot_version' is broken" in done.err
    verdict = json.loads(file.read_text())
    assert "Which replies: q2 report --from 2026-11-18 --to 2026-11-18 --store " in done.err
    assert (verdict["date"], verdict["outcome"]) == ("2026-11-18", "broken")
    (broken,) = [f for f in verdict["findings"] if f["outcome"] == "broken"]
    assert broken["group"] == "bot_version 1.5"
    counted = q2(
        "sql",
        "SELECT count(*) FILTER (support <= 0.5) AS low, count(support) AS n FROM turns JOIN scores USING "
        "(pair_id) WHERE metadata->>'bot_version' = '1.5' AND timestamp >= '2026-11-18'",
        "--json", "--store", scored.store,
    )  # fmt: skip
    assert json.loads(counted.out) == {"low": broken["numerator"], "n": broken["denominator"]}


def test_gates_that_hold_end_well(scored, rules):
    """On the first day there is only the better bot; a date can be asked for."""
    rules.write_text('[[gate]]\nkind = "inconsistency"\nlimit = 0.9\n')
    done = q2("gate", "--store", scored.store, "--rules", rules, "--date", "2026-11-16")
    assert done.code == 0, done.err
    assert "2026-11-16, q2 with compact" in done.out
    assert "passed" in done.out


def test_a_date_with_too_few_turns_is_not_said_to_pass(scored, rules, tmp_path):
    """The outcome is `not judged`, with the reason; nothing is broken."""
    rules.write_text(LIMITED.replace("limit = 0.4", "limit = 0.4\nminimum = 5000"))
    kept = tmp_path / "gates.json"
    done = q2("gate", "--store", scored.store, "--rules", rules, "--json", kept)
    assert done.code == 0, done.err
    assert json.loads(kept.read_text())["outcome"] == "not judged"
    assert "no gate on the scores could be judged" in done.said
    assert "it takes 5,000" in done.said


def test_rejects_of_a_log_without_a_date_count_for_its_days(scored, rules):
    """A reject has no time of its own; the days of its log's turns are the best that is known."""
    rules.write_text('[[gate]]\nkind = "rejects"\nlimit = 0.0\n')
    counted = q2(
        "sql",
        "SELECT count(*) AS n FROM rejects WHERE source LIKE '%2026-11-16%'",
        "--json", "--store", scored.store,
    )  # fmt: skip
    number = json.loads(counted.out)["n"]
    done = q2("gate", "--store", scored.store, "--rules", rules, "--date", "2026-11-16")
    assert number > 0
    assert done.code == 3
    assert f"{number} of {50 + number} rows" in done.said


def test_a_date_without_turns_has_nothing_but_overdue_logs(scored, rules):
    """A date of which there is no log breaks the gate on freshness."""
    rules.write_text('[[gate]]\nkind = "freshness"\nby = "06:00"\n')
    done = q2("gate", "--store", scored.store, "--rules", rules, "--date", "2026-11-12")
    assert done.code == 3
    assert "no turn of 2026-11-12" in done.said
    assert "Which replies" not in done.err


def test_a_broken_gate_is_reported_to_the_webhook_when_asked(scored, rules):
    """--tell posts the verdict; without it nothing leaves the machine."""
    with receiving() as receiver:
        rules.write_text(f'{LIMITED}[webhook]\nurl = "{receiver.url}"\n')
        assert q2("gate", "--store", scored.store, "--rules", rules).code == 3
        assert receiver.attempts == 0
        assert q2("gate", "--store", scored.store, "--rules", rules, "--tell").code == 3
        (body,) = receiver.bodies
    assert (body["event"], body["date"]) == ("gate_broken", "2026-11-18")
    assert [finding["group"] for finding in body["broken"]] == ["bot_version 1.5"]


def test_a_broken_gate_fails_by_itself_where_its_webhook_is_away(scored, rules):
    """The sentence and the exit code are the gate's; the refused post is told below."""
    with receiving() as receiver:
        away = receiver.url
    rules.write_text(f'{LIMITED}[webhook]\nurl = "{away}"\nretries = 0\n')
    done = q2("gate", "--store", scored.store, "--rules", rules, "--tell")
    assert done.code == 3
    assert "the gate 'inconsistency by bot_version' is broken" in done.err
    assert "webhook" in done.err


def test_the_example_rules_judge_the_example_log(scored):
    """The documented rules run, and report that three days are too few for a rise."""
    done = q2("gate", "--store", scored.store, "--rules", ROOT / "examples" / "gates.toml")
    assert done.code in {0, 3}
    assert "of the 56 days before have scored turns" in done.said


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--date", "soon"], "'soon' is no date"),
        (["--rules", "gone.toml"], "There is no file gone.toml."),
    ],
)
def test_a_mistake_is_reported(scored, rules, arguments, told):
    """Exit code 2 and a sentence."""
    done = q2("gate", "--store", scored.store, "--rules", rules, *arguments)
    assert done.code == 2
    assert told in done.err


def test_a_score_that_the_store_does_not_have_is_reported(scored, rules):
    """The example log was not scored with the blend."""
    rules.write_text(f'score = "blend"\n{LIMITED}')
    done = q2("gate", "--store", scored.store, "--rules", rules)
    assert done.code == 2
    assert "has not the score 'blend'" in done.err
