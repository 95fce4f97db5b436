"""Tests of the texts that Prefect's interface shows of a run."""

import re
from datetime import date

import pytest

from qsquared.flows.prefect_api.artifacts import plain, summary_markdown
from qsquared.storage.records.dates.date_records import DateRecord

DAY = date(2026, 11, 21)


def record(outcome=None, **more):
    """The record of a date on which the gates came to this outcome."""
    verdict = outcome and {"outcome": outcome, "sentence": f"{DAY}: the gates say {outcome}."}
    return DateRecord(DAY, "complete", "", (), {}, turns=8, verdict=verdict, **more)


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        ("passed", "All is well."),
        ("not judged", "- 2026-11-21: the gates say not judged."),
        (None, "Nothing failed; no gates judged the scores."),
    ],
)
def test_all_is_well_only_where_gates_have_judged_the_scores(outcome, told):
    """A date of which nothing could be said is named, with the reason."""
    text = summary_markdown("nightly", [(record(outcome), True)], []).replace("\\", "")
    assert told in text.splitlines()
    assert ("All is well." in text) == (outcome == "passed")


def test_a_logged_text_is_shown_unchanged():
    """Quotes stay quotes; marks of Markdown and HTML lose their meaning."""
    assert plain("the gate 'too many'") == "the gate 'too many'"
    assert plain("<b> & *x* [y](z) &#39;") == (r"&lt;b&gt; &amp; \*x\* \[y\]\(z\) &amp;\#39;")
    assert not re.search(r"&\\#", plain('it\'s "so"'))


def test_notes_have_their_time_to_the_minute():
    """Without the marks of ISO 8601."""
    noted = record("passed", notes=("2026-11-22T16:45:12+00:00: the mean is another",))
    text = summary_markdown("nightly", [(noted, True)], []).replace("\\", "")
    assert "- 2026-11-21, 2026-11-22 16:45: the mean is another" in text
