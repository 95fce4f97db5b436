"""Tests of webhooks against a server on loopback."""

import pytest

from qsquared.errors import UsageError
from qsquared.gates import alerts
from qsquared.gates.rules import Webhook
from tests.webhooks import receiving

FINDING = {
    "gate": "inconsistency by bot",
    "kind": "inconsistency",
    "group": "bot <!channel> 1.5",
    "outcome": "broken",
    "sentence": "bot <!channel> 1.5: 18 of 40 scored turns & more.",
}
EVENT = alerts.broken_event(
    {
        "date": "2026-11-20",
        "sentence": "2026-11-20: the gate 'x' is broken. " + FINDING["sentence"],
        "metric": "q2",
        "profile": "compact",
        "findings": [FINDING, FINDING | {"outcome": "passed"}, FINDING],
    },
    "/srv/q2-store",
)


@pytest.fixture
def receiver(monkeypatch):
    """A server, asked again without long pauses."""
    monkeypatch.setattr(alerts, "_BACKOFF_SECONDS", 0.01)
    monkeypatch.setattr(alerts, "_JITTER_SECONDS", 0.01)
    with receiving() as server:
        yield server


def test_programs_get_the_whole_event(receiver):
    """The generic format is one JSON object with every broken gate and none that holds."""
    alerts.send(Webhook(url=receiver.url), EVENT)
    (body,) = receiver.bodies
    assert body == EVENT
    assert (body["event"], len(body["broken"])) == ("gate_broken", 2)


def test_a_chat_gets_a_text_that_commands_nothing(receiver):
    """The format of incoming webhooks is one text, in which a log's words mention nobody."""
    alerts.send(Webhook(url=receiver.url, format="chat"), EVENT)
    (body,) = receiver.bodies
    assert list(body) == ["text"]
    assert "&lt;!channel&gt; 1.5: 18 of 40 scored turns &amp; more." in body["text"]
    assert "<" not in body["text"]
    assert body["text"].count("•") == 2


def test_a_passing_failure_is_tried_again(receiver):
    """A server that is busy, then broken, then well gets the event once."""
    receiver.codes[:] = [503, 429, 500]
    alerts.send(Webhook(url=receiver.url), EVENT)
    assert (receiver.attempts, len(receiver.bodies)) == (4, 1)


@pytest.mark.parametrize(("code", "attempts"), [(404, 1), (302, 1), (503, 3)])
def test_a_refusal_is_reported_without_the_secret(receiver, code, attempts):
    """A permanent failure is not tried again, and no error shows the address's path."""
    receiver.codes[:] = [code] * 9
    with pytest.raises(alerts.AlertError) as caught:
        alerts.send(Webhook(url=receiver.url, retries=2), EVENT)
    assert receiver.attempts == attempts
    assert "127.0.0.1" in str(caught.value)
    assert "secret-token" not in str(caught.value)


def test_a_server_that_is_gone_is_reported_without_the_secret(receiver):
    """No connection, however often it is tried."""
    url = receiver.url.replace("127.0.0.1", "127.0.0.2")
    with pytest.raises(alerts.AlertError, match="was not reached") as caught:
        alerts.send(Webhook(url=url, retries=1, timeout_seconds=2), EVENT)
    assert "secret-token" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_the_address_may_come_from_the_environment(receiver, monkeypatch):
    """A secret address comes from a variable, which the error names when it is missing."""
    webhook = Webhook(url_from="Q2_TEST_HOOK")
    with pytest.raises(UsageError, match="Q2_TEST_HOOK"):
        alerts.send(webhook, EVENT)
    monkeypatch.setenv("Q2_TEST_HOOK", receiver.url)
    alerts.send(webhook, EVENT)
    assert len(receiver.bodies) == 1
