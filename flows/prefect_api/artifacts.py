"""Artifacts of a run in Prefect's interface: a summary, a table of groups, progress, reports."""

import html
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote
from uuid import UUID

from prefect.artifacts import (
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)

from qsquared.flows.watching.progress import Observer
from qsquared.flows.watching.reporting import DateReport, Reports
from qsquared.storage.records.dates.date_records import DateRecord, short_note

PROGRESS, SUMMARY, GROUPS, REPORT = "q2-progress", "q2-summary", "q2-groups", "q2-report"
"""Keys of the artifacts; Prefect keeps all versions of a key."""

_UPDATE_SECONDS = 5.0
_IN_ADDRESSES = "/:?#@!$&*+,;=%~"
_PUNCTUATION = re.compile(r"([\\`*_{}\[\]()#+\-.!|~])")


def plain(text: str) -> str:
    """Escape a logged text so that Markdown shows it unchanged."""
    # A number sign may stand in an entity, so the entities come last.
    escaped = _PUNCTUATION.sub(r"\\\1", " ".join(text.split()))
    return html.escape(escaped, quote=False)


class ProgressArtifact(Observer):
    """A progress bar of a run in Prefect, by its parts and the turns of the current part.

    It has to be made in the run's own flow, which then owns it; it is renewed every few seconds.
    """

    def __init__(self, parts: int) -> None:
        self._parts, self._finished = max(1, parts), 0
        self._all = self._done = 0
        self._in_shard = 0.0
        made = create_progress_artifact(0.0, PROGRESS, "Turns scored, over all dates of the run")
        assert isinstance(made, UUID)
        self._id = made
        self._last = time.monotonic()

    def part_done(self) -> None:
        """Count another part as finished, with or without turns."""
        self._finished += 1
        self._all = self._done = 0
        self._in_shard = 0.0
        self._show()

    def planned(self, turns: int, reused: int, pairs: int) -> None:  # noqa: ARG002
        """Note the turns of the current part."""
        self._all, self._done = turns, reused

    def scored(self, turns: int) -> None:
        """Advance the bar by the turns of a shard."""
        self._done += turns
        self._in_shard = 0.0
        self._show_at_times()

    def advanced(self, turns: float) -> None:
        """Advance the bar by the work on the current shard."""
        self._in_shard = turns
        self._show_at_times()

    def _show_at_times(self) -> None:
        if time.monotonic() - self._last >= _UPDATE_SECONDS:
            self._show()

    def _show(self) -> None:
        self._last = time.monotonic()
        share = (self._done + self._in_shard) / self._all if self._all else 0.0
        update_progress_artifact(
            self._id, min(100.0, 100 * (self._finished + min(share, 1.0)) / self._parts)
        )


def summary_markdown(
    title: str,
    dates: Sequence[tuple[DateRecord, bool]],
    problems: Sequence[str],
    remarks: Sequence[str] = (),
) -> str:
    """Return a run in Markdown; ``dates`` are records, each with whether the run worked on it."""
    told = [f"- **{plain(problem)}**" for problem in problems]
    told += [f"- {plain(sentence)}" for sentence in _not_judged(dates)]
    lines = [f"# {plain(title)}", "", *(told or [_all_well(dates)])]
    lines += [f"- {plain(remark)}" for remark in remarks]
    lines += ["", "| date | this run | turns | scored | rejects | mean support | mean Q² | gates |"]
    lines += ["|---|---|---:|---:|---:|---:|---:|---|"]
    for record, worked in dates:
        support, mean = (
            "" if value is None else f"{value:.3f}"
            for value in (record.mean_support, record.mean_q2)
        )
        gates = "" if record.verdict is None else record.verdict["outcome"]
        lines.append(
            f"| {record.date} | {'scored' if worked else 'nothing to do'} | {record.turns:,} | "
            f"{record.scored_turns:,} | {record.rejects:,} | {support} | {mean} | {gates} |"
        )
    notes = [
        f"- {record.date}, {plain(short_note(note))}"
        for record, _ in dates
        for note in record.notes
    ]
    return "\n".join([*lines, *(["", "Later changes:", "", *notes] if notes else [])]) + "\n"


def _not_judged(dates: Sequence[tuple[DateRecord, bool]]) -> list[str]:
    """Return the verdicts on dates of which the gates could say nothing."""
    verdicts = [record.verdict for record, _ in dates if record.verdict is not None]
    return [one["sentence"] for one in verdicts if one["outcome"] == "not judged"]


def _all_well(dates: Sequence[tuple[DateRecord, bool]]) -> str:
    if any(record.verdict is not None for record, _ in dates):
        return "All is well."
    return "Nothing failed; no gates judged the scores."


def group_rows(verdict: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the groups of a verdict as rows of a table."""
    rows = []
    for group in verdict["groups"]:
        share = group["low"] / group["scored"] if group["scored"] else None
        rows.append(
            {
                "date": verdict["date"],
                "field": group["field"] or "(all)",
                "group": "(none)" if group["group"] is None else group["group"],
                "turns": group["turns"],
                "scored": group["scored"],
                f"{verdict['score']} of {verdict['threshold']:g} or below": group["low"],
                "share": "" if share is None else f"{share:.1%}",
            }
        )
    return rows


def report_markdown(reports: Sequence[DateReport]) -> str:
    """Return the figures of reports in Markdown, each with the address or the file of its page."""
    lines = ["| date | inconsistent | 95 % interval | coverage | report |"]
    lines += ["|---|---:|---:|---:|---|"]
    for report in reports:
        total = report.total
        rate = within = "unknown"
        if total["rate"] is not None:
            rate = f"{total['inconsistent']:,} of {total['scored']:,} ({total['rate']:.1%})"
            within = f"{total['rate_low']:.1%} to {total['rate_high']:.1%}"
        coverage = "unknown" if total["coverage"] is None else f"{total['coverage']:.1%}"
        lines.append(f"| {report.date} | {rate} | {within} | {coverage} | {_page(report)} |")
    last = reports[-1]
    if last.lowest:
        lines += ["", f"Lowest scores of {last.date}:", ""]
    # Without their words, which nothing would erase from Prefect's database.
    lines += [f"- {plain(turn)}, {score:.2f}" for turn, score in last.lowest]
    return "\n".join(lines) + "\n"


def _page(report: DateReport) -> str:
    """Return a link that a browser opens, or the file's path, since a page may not link to files."""
    if report.address.startswith(("http://", "https://")):
        return f"[open]({quote(report.address, safe=_IN_ADDRESSES)})"
    return plain(report.address or str(report.path))


def publish_artifacts(
    title: str,
    dates: Sequence[tuple[DateRecord, bool]],
    problems: Sequence[str],
    reports: Reports,
) -> None:
    """Put the summary, the groups of the last judged date, and the reports into Prefect."""
    summary = summary_markdown(title, dates, problems, reports.remarks)
    create_markdown_artifact(summary, SUMMARY, title)
    verdicts = [record.verdict for record, _ in dates if record.verdict is not None]
    if verdicts:
        create_table_artifact(group_rows(verdicts[-1]), GROUPS, f"Groups of {verdicts[-1]['date']}")
    if reports.written:
        create_markdown_artifact(report_markdown(reports.written), REPORT, title)
