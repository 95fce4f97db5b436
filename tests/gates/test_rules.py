"""Tests of the rules of gates that a person writes, and of the messages on mistakes."""

import re

import pytest

from qsquared.errors import UsageError
from qsquared.gates.rules import read_rules
from tests.conftest import ROOT

GATE = '[[gate]]\nkind = "coverage"\nlimit = 0.9\n'


def test_the_example_is_valid_and_shows_every_kind():
    """The example has one gate of each kind, and a webhook to be uncommented."""
    path = ROOT / "examples" / "gates.toml"
    rules = read_rules(path)
    assert {gate.kind for gate in rules.gate} == {
        "inconsistency", "rise", "coverage", "rejects", "freshness",
    }  # fmt: skip
    assert (rules.history_days, rules.groups) == (224, ("", "bot_version"))
    hook = re.sub(r"^# (?=\[|url|format)", "", path.read_text(), flags=re.MULTILINE)
    assert "[webhook]\nurl_from" in hook


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "gate: Field required"),
        ("gate = []", "gate: Tuple should have at least 1 item"),
        ("[[gate]\n", "not valid TOML"),
        ('[[gate]]\nkind = "mood"\n', "gate.0"),
        ('[[gate]]\nkind = "coverage"\n', "gate.0.coverage.limit: Field required"),
        ('[[gate]]\nkind = "coverage"\nlimit = 95\n', "less than or equal to 1"),
        (GATE + "minimun = 5\n", "gate.0.coverage.minimun: Extra inputs"),
        ('[[gate]]\nkind = "coverage"\nlimt = 0.9\n', "gate.0.coverage.limt: Extra inputs"),
        ('[[gate]]\nkind = "freshness"\nby = 6\n', 'a time stands in quotes, as "06:00"'),
        ('timezone = "Mars/Base"\n' + GATE, "no time zone 'Mars/Base'"),
        (GATE + "[webhook]\n", "either url or url_from"),
        (GATE + '[webhook]\nurl = "ftp://x"\n', "does not begin with http"),
    ],
)
def test_a_mistake_is_reported_with_its_place(tmp_path, text, told):
    """The message names the file, the field and the mistake."""
    path = tmp_path / "gates.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_rules(path)
    assert str(path) in caught.value.message
    assert told in caught.value.message


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ('calibration = "team"\n' + GATE, "threshold ="),
        ('[[gate]]\nkind = "rise"\nsignificance = 0.01\n', "false_alarms = 1"),
    ],
)
def test_a_key_of_an_older_version_names_what_to_write_instead(tmp_path, text, instead):
    """A file of gates may have been written years ago."""
    path = tmp_path / "gates.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_rules(path)
    assert instead in caught.value.hint


def test_a_missing_file_is_reported(tmp_path):
    """The path is named."""
    with pytest.raises(UsageError, match=r"There is no file .*gone\.toml\."):
        read_rules(tmp_path / "gone.toml")
