"""Logs of unknown programs, surveyed and read as they are proposed."""

import json

import pytest

from qsquared.storage.logs.surveys.proposals import propose
from qsquared.storage.logs.surveys.survey import survey_log


@pytest.fixture
def surveyed(tmp_path):
    """Survey a log of these rows."""

    def survey(rows):
        log = tmp_path / "x.jsonl"
        log.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return survey_log(log, {})

    return survey


@pytest.fixture
def turns(surveyed):
    """Propose how to read rows; return the turns that it gives: what was asked and said, and the knowledge."""

    def read(rows):
        proposed, _ = propose(surveyed(rows))
        found = [] if proposed is None else proposed.turns
        return [(*one["history"][-1:], one["response"], *one["knowledge"]) for one in found]

    return read
