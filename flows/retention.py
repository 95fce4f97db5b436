"""The flow that erases the turns of a store that are older than they may be kept."""

from typing import Any

from prefect import flow

from qsquared.flows.running.prefect_runs import end_with_sentences
from qsquared.flows.score_date import Reports
from qsquared.storage.erasing.choosing import ErasureRequest, choose, days_of
from qsquared.storage.erasing.erase import erase
from qsquared.storage.files.remote_paths import place
from qsquared.storage.records.date_records import all_dates
from qsquared.storage.store import Store

end_with_sentences()


@flow(name="retention", persist_result=False)
def retention(store: str, older_than: str = "90d", report: str = "") -> dict[str, Any]:
    """Erase turns by their age, and finish an erasure that was killed.

    The reports of dates that lost turns are written anew, if their place is given.
    """
    opened = Store.open(place(store).absolute())
    reports = Reports(opened, report)
    before = all_dates(opened)
    request = ErasureRequest(older_than_days=days_of(older_than))
    erasure = erase(opened, choose(opened, request), request.kinds)
    for day, record in all_dates(opened).items():
        if record != before.get(day):
            reports.write(record)
    return erasure or {"turns": 0}
