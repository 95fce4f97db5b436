"""The report that a run over dates writes, and its address."""

from dataclasses import dataclass
from pathlib import Path

from qsquared.errors import Q2Error, UsageError
from qsquared.report.page import write_report
from qsquared.report.scope import ReportOptions
from qsquared.storage.records.dates.date_records import DateRecord
from qsquared.storage.store import Store


@dataclass(frozen=True, slots=True)
class ReportPlace:
    """The file and the address of reports, both templates with ``{date}``.

    Without a ``file`` none is written; without an ``address`` people get that of the file.
    """

    file: str = ""
    address: str = ""

    def of(self, record: DateRecord) -> tuple[Path | None, str]:
        """Return file and address of a date's report; the address is empty where none is written.

        Raises:
            UsageError: a place has something else in braces than the date.
        """
        try:
            file = self.file.format(date=record.date)
            address = self.address.format(date=record.date)
        except (KeyError, IndexError, ValueError, AttributeError) as error:
            raise UsageError(
                f"The place of the report has something else in braces than a date: {error}.",
                "Use {date}, for instance reports/{date}.html",
            ) from error
        path = Path(file).absolute() if file else None
        return path, address or (path.as_uri() if path else "")


def report_on(store: Store, record: DateRecord, place: ReportPlace) -> tuple[str, str]:
    """Write the report of a date; return its address, and a sentence if it could not be written.

    A night without its report is still a night.
    """
    path, address = place.of(record)
    if path is None or not record.run:
        return address, ""
    title = f"Replies of {record.date}"
    try:
        write_report(store, path, ReportOptions(run=record.run, title=title))
    except (Q2Error, ImportError) as error:
        reason = error.message if isinstance(error, Q2Error) else str(error)
        return "", f"{record.date}: there is no report. {reason}"
    return address, ""
