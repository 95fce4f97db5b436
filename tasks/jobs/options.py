"""Options of scoring runs, with the texts that the command line and Prefect's form show.

An option's text is its annotation, and its title is made of its name.
The flows validate the options with pydantic; the command line reads the texts without it, which
keeps its start quick.
"""

from dataclasses import dataclass, fields
from typing import Annotated, get_type_hints

DEFAULT_METRICS = ("q2",)

ReportFile = Annotated[
    str,
    "HTML file to write for each date that the run works on, such as `reports/{date}.html`; empty for "
    "none.",
]


@dataclass(frozen=True, slots=True)
class Job:
    """The scores to compute and their store, in plain values that any process can be handed.

    ``metrics``, ``parameters`` and ``precision`` decide the content keys, ``device`` does not.
    """

    store: Annotated[str, "Folder of the Parquet store, or s3://… URL."] = "q2-store"
    profile: Annotated[str, "Set of models; see `q2 models list`."] = "compact"
    profiles: Annotated[str, "TOML file with profiles of your own."] = ""
    metrics: Annotated[tuple[str, ...], "Metrics to score by; q2 by default."] = DEFAULT_METRICS
    parameters: Annotated[
        str,
        "JSON object of the metrics' parameters that differ from the defaults; as_published: true "
        "for the papers' rules, as far as they have a parameter.",
    ] = "{}"
    device: Annotated[str, "Where the models run: cpu, cuda, cuda:1, mps."] = "cpu"
    precision: Annotated[
        str,
        "Arithmetic of reader and judge: fp32, bf16 or int8; empty for the profile's. Each has scores "
        "of its own.",
    ] = ""
    yes: Annotated[
        bool, "Agree that texts of the logs are sent to the servers that the profile names."
    ] = False
    max_requests: Annotated[int, "Most requests to servers in this run; 0 for any number."] = 0
    max_cost: Annotated[float, "Highest price of these requests; 0 for any price."] = 0.0

    @property
    def metric_names(self) -> str:
        """The names of the metrics in one text."""
        return ", ".join(self.metrics)

    @property
    def job(self) -> "Job":
        """The job of a run with these options."""
        options = {field.name: getattr(self, field.name) for field in fields(Job)}
        return Job(**options | {"metrics": self.metrics or DEFAULT_METRICS})


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions(Job):
    """Options of the flows that read logs."""

    logs: Annotated[list[str], "Files, folders or glob patterns."]
    mapping: Annotated[dict[str, str] | None, "Field of the log → field of a turn."] = None
    file_format: Annotated[
        str,
        "Read the logs as flat or as those of a program (openai, otel, … in docs/logs.md), or as jsonl, "
        "json, csv, tsv, parquet or arrow, whatever they look like; with options of reading behind "
        'it, as in `csv {"separator": ";", "encoding": "cp1252", "time_form": "%d.%m.%Y"}`. Empty: '
        "detected.",
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions(LogOptions):
    """Options of one scoring run."""

    limit: Annotated[int | None, "Score the first N turns only."] = None
    retry_errors: Annotated[bool, "Try again where a model failed."] = False
    known: Annotated[list[str] | None, "Inputs that the store has read before, by fingerprint."] = (
        None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedOptions(LogOptions):
    """Options of a run over dates."""

    logs: Annotated[list[str], "Paths with the date in them, such as `logs/{date}/*.jsonl.gz`."]
    map_file: Annotated[
        str,
        "TOML file with the mapping and the format, as `q2 ingest --save-format` writes it; the "
        "two parameters above go before it.",
    ] = ""
    gates: Annotated[str, "TOML file with the gates and the webhook, or empty."] = ""
    timeout_hours: Annotated[
        float, "The scoring of a date is ended after so long; 0 for never."
    ] = 0.0
    report: ReportFile = ""
    report_address: Annotated[
        str,
        "Where a browser finds that file, such as `https://q2.example/{date}.html`; alarms link to it.",
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NightlyOptions(DatedOptions):
    """Options of the nightly run."""

    date: Annotated[str, "The logical date; empty for yesterday."] = ""
    timezone: Annotated[str, "Time zone in which yesterday is meant."] = "UTC"
    catch_up_days: Annotated[
        int, "How many days before the date are looked at, back to the first known one."
    ] = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillOptions(DatedOptions):
    """Options of a run over a range of past dates."""

    start: Annotated[str, "The first date."]
    end: Annotated[str, "The last date; it is included."]


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoreOptions(Job):
    """Options of a run over all that the store has read."""

    since: Annotated[str, "Only logs with turns of this date or later; empty for all."] = ""
    report: ReportFile = ""


def help_of(options: type[Job], name: str) -> str:
    """Return the text of an option."""
    (text,) = get_type_hints(options, include_extras=True)[name].__metadata__
    return str(text)
