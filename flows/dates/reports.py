"""The reports that a run over dates writes, and their addresses."""

import logging
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import duckdb

from qsquared.errors import Q2Error, first_line
from qsquared.report.page import write_report
from qsquared.report.scope import ReportOptions
from qsquared.storage.records.dates.date_records import DateRecord
from qsquared.storage.records.dates.dated_logs import of_date
from qsquared.storage.store import Store

logger = logging.getLogger("qsquared")

_ANY_DAY = date(2000, 1, 1)


@dataclass(slots=True)
class Reports:
    """The reports of a run over dates: where those written are, and sentences on the others.

    ``file`` and ``address`` are templates with ``{date}``.
    Without a file none is written; without an address people get the path of the file.

    Raises:
        UsageError: a template has something else in braces than the date.
    """

    store: Store
    file: str = ""
    address: str = ""
    written: dict[date, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for template in (self.file, self.address):
            of_date(template, _ANY_DAY)

    def write(self, record: DateRecord) -> None:
        """Write the report of a date anew, from the scores that its record names.

        A night without its report is still a night.
        """
        if not self.file or not record.run:
            return
        path = Path(of_date(self.file, record.date)).absolute()
        options = ReportOptions(run=record.run, title=f"Replies of {record.date}")
        try:
            write_report(self.store, path, options)
        except (Q2Error, ImportError, duckdb.Error, OSError) as error:
            reason = error.message if isinstance(error, Q2Error) else first_line(error)
            self.remarks.append(f"{record.date}: there is no report. {reason}")
            logger.warning(self.remarks[-1])
        else:
            self.written[record.date] = of_date(self.address, record.date) or str(path)
