"""Logs of nights in a working folder, and runs over them, for the tests of dates."""

import json

from qsquared.flows.nightly import nightly
from qsquared.storage.records.date_records import all_dates
from qsquared.storage.store import Store

KNOWLEDGE = "Lima lies in Peru."
RIGHT = "Lima lies in Peru today"
WRONG = "Lima lies in Chile today"


def put_log(place, day, name, replies, bot="1.4"):
    """Write a log of a date with these replies."""
    folder = place / "logs" / day
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"id": f"{day}-{name}-{i}", "knowledge": KNOWLEDGE, "response": reply, "bot_version": bot}
        for i, reply in enumerate(replies)
    ]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def run(day, **options):
    """Run the nightly flow for a date; gives its final state."""
    return nightly(["logs/{date}/*.jsonl"], date=day, **options, return_state=True)


def records(place):
    """The records of all dates by their names."""
    return {str(day): record for day, record in all_dates(Store.open(place / "q2-store")).items()}


def executions(place):
    """Count the stages that all runs of the store began."""
    return sum(
        path.read_text().count('"begin"') for path in place.glob("q2-store/executions/*.jsonl")
    )
