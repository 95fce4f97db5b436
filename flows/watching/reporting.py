"""The reports that a run over dates writes, and their addresses."""

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import duckdb

from qsquared.errors import Q2Error, UsageError, first_line
from qsquared.report.page import write_report
from qsquared.report.scope import ReportOptions
from qsquared.storage.records.dates.date_records import DateRecord
from qsquared.storage.store import Store

_ANY_DAY = date(2000, 1, 1)
_LOWEST = 5


@dataclass(frozen=True, slots=True)
class DateReport:
    """The report of one date: its file, its address for a browser (or empty), and its figures.

    ``total`` has the rate of inconsistent turns with its interval, ``lowest`` the id and the score
    of the replies that score lowest.
    """

    date: date
    path: Path
    address: str
    total: dict[str, Any]
    lowest: list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class ReportPlace:
    """The file and the address of reports, both templates with ``{date}``.

    Without a ``file`` none is written; without an ``address`` people get the path of the file.
    """

    file: str = ""
    address: str = ""

    def of(self, day: date) -> tuple[Path | None, str]:
        """Return file and address of a date's report.

        Raises:
            UsageError: a place has something else in braces than the date.
        """
        try:
            file = self.file.format(date=day)
            address = self.address.format(date=day)
        except (KeyError, IndexError, ValueError, AttributeError) as error:
            raise UsageError(
                f"The place of the report has something else in braces than a date: {error}.",
                "Use {date}, for instance reports/{date}.html",
            ) from error
        return Path(file).absolute() if file else None, address

    def check(self) -> None:
        """Check the templates, before a run begins its work.

        Raises:
            UsageError: a place has something else in braces than the date.
        """
        self.of(_ANY_DAY)


@dataclass(slots=True)
class Reports:
    """The reports of a run over dates: those written, and sentences on those that could not be."""

    store: Store
    place: ReportPlace
    written: list[DateReport] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def write(self, record: DateRecord) -> None:
        """Write the report of a date anew, from the scores that its record names.

        A night without its report is still a night.
        """
        path, address = self.place.of(record.date)
        if path is None or not record.run:
            return
        options = ReportOptions(run=record.run, title=f"Replies of {record.date}")
        try:
            figures = write_report(self.store, path, options)
        except (Q2Error, ImportError, duckdb.Error, OSError) as error:
            reason = error.message if isinstance(error, Q2Error) else first_line(error)
            self.remarks.append(f"{record.date}: there is no report. {reason}")
        else:
            lowest = [(str(case.turn["id"]), case.score) for case in figures["cases"][:_LOWEST]]
            self.written.append(DateReport(record.date, path, address, figures["total"], lowest))

    def address_of(self, day: date) -> str:
        """Return the address of the report that was written of a date, else its path; empty if none was."""
        written = (one for one in self.written if one.date == day)
        return next((one.address or str(one.path) for one in written), "")
