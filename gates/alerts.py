"""Alerts by a webhook: plain JSON for programs, or a text for a chat's incoming webhook."""

from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from qsquared.errors import Q2Error
from qsquared.gates.rules import Webhook

_BACKOFF_SECONDS = 0.5
_JITTER_SECONDS = 0.5
_LONGEST_SECONDS = 30
_TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504)
_SHOWN = 10


class AlertError(Q2Error):
    """A webhook could not be reached, or refused the alert."""


def broken_event(verdict: dict[str, Any], store: str) -> dict[str, Any]:
    """Return the event of a date with a broken gate."""
    return {
        "event": "gate_broken",
        "date": verdict["date"],
        "store": store,
        "sentence": verdict["sentence"],
        "metric": verdict["metric"],
        "profile": verdict["profile"],
        "broken": [f for f in verdict["findings"] if f["outcome"] == "broken"],
    }


def failed_event(date: str, store: str, reason: str) -> dict[str, Any]:
    """Return the event of a date that could not be scored, or only in part."""
    return {
        "event": "night_failed",
        "date": date,
        "store": store,
        "sentence": f"{date}: {reason}",
        "broken": [],
    }


def chat_text(event: dict[str, Any]) -> str:
    """Return an event as the text of a chat message; a log's text in it commands nothing there."""
    lines = [f"*q2* {event['sentence']}"]
    if len(event["broken"]) > 1:
        lines += [
            f"• {finding['gate']}: {finding['sentence']}" for finding in event["broken"][:_SHOWN]
        ]
        if len(event["broken"]) > _SHOWN:
            lines.append(f"… and {len(event['broken']) - _SHOWN:,} more")
    if "report" in event:
        lines.append(f"Report: {event['report']}")
    # As incoming webhooks ask for; <!channel> and links have no other form.
    text = "\n".join(lines)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def send(webhook: Webhook, event: dict[str, Any]) -> None:
    """Post an event; passing failures (no connection, 429, 5xx …) are tried again after growing pauses.

    Raises:
        AlertError: it was not taken; it names the host only, since the address may be a secret.
        UsageError: the environment holds no address.
    """
    address = webhook.address()
    body = {"text": chat_text(event)} if webhook.format == "chat" else event
    retries = Retry(
        total=webhook.retries,
        status_forcelist=_TRY_AGAIN,
        # A POST is tried again too: a message twice is better than none.
        allowed_methods=None,
        backoff_factor=_BACKOFF_SECONDS,
        backoff_jitter=_JITTER_SECONDS,
        backoff_max=_LONGEST_SECONDS,
        retry_after_max=_LONGEST_SECONDS,
        raise_on_status=False,
    )
    with requests.Session() as session:
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=retries))
        try:
            answer = session.post(
                address, json=body, timeout=webhook.timeout_seconds, allow_redirects=False
            )
        except requests.RequestException as error:
            # The text of the error has the address in it.
            raise _refused(address, type(error).__name__) from None
    if not answer.ok or answer.is_redirect:
        raise _refused(address, f"HTTP {answer.status_code}")


def _refused(address: str, reason: str) -> AlertError:
    return AlertError(
        f"The webhook at {urlsplit(address).hostname} was not reached: {reason}.",
        "Check its address and whether this machine may reach it.",
    )
