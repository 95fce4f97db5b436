"""Options of scoring runs, with the texts that the command line and Prefect's form show.

The field metadata has the names that pydantic reads, which the flows validate the options with.
The command line reads it too, and stays quick because it needs no pydantic for that.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

DEFAULT_METRICS = ("q2",)


def _texts(title: str, description: str) -> dict[str, str]:
    return {"title": title, "description": description}


@dataclass(frozen=True, slots=True)
class Job:
    """The scores to compute and their store, in plain values that any process can be handed.

    ``parameters`` and the metrics decide the content keys, ``device`` does not.
    """

    store: str = field(
        default="q2-store", metadata=_texts("Store", "Folder of the Parquet store, or s3://… URL.")
    )
    profile: str = field(
        default="compact", metadata=_texts("Profile", "Set of models; see `q2 models list`.")
    )
    profiles: str = field(
        default="", metadata=_texts("Own profiles", "TOML file with profiles of your own.")
    )
    metrics: tuple[str, ...] = field(
        default=DEFAULT_METRICS,
        metadata=_texts("Metrics", "What to score by, q2 if nothing is said."),
    )
    parameters: str = field(
        default="{}",
        metadata=_texts(
            "Parameters", "JSON object of the metrics' parameters that differ from the paper's."
        ),
    )
    device: str = field(
        default="cpu", metadata=_texts("Device", "Where the models run: cpu, cuda, cuda:1, mps.")
    )

    @property
    def metric_names(self) -> str:
        """The names of the metrics in one text."""
        return ", ".join(self.metrics)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(Job):
    """Options of every flow that scores."""

    metric: str = field(
        default="",
        metadata=_texts(
            "Metric (former name)", "One metric; deployments of today name all in `metrics`."
        ),
    )
    runner: str = field(
        default="threads",
        metadata=_texts(
            "Runner", "Where shards are scored: threads (here), dask, ray, dask:4, or dask:ADDRESS."
        ),
    )

    @property
    def job(self) -> Job:
        """The job of the run; a metric of the former name is one of its metrics."""
        asked = self.metrics or DEFAULT_METRICS
        if self.metric:
            others = () if asked == DEFAULT_METRICS else asked
            asked = tuple(dict.fromkeys((self.metric, *others)))
        return Job(self.store, self.profile, self.profiles, asked, self.parameters, self.device)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions(RunOptions):
    """Options of the flows that read logs."""

    logs: list[str] = field(metadata=_texts("Logs", "Files, folders or glob patterns."))
    mapping: dict[str, str] | None = field(
        default=None, metadata=_texts("Mapping", "Field of the log → field of a turn.")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions(LogOptions):
    """Options of one scoring run."""

    limit: int | None = field(
        default=None, metadata=_texts("Limit", "Score the first N turns only.")
    )
    retry_errors: bool = field(
        default=False, metadata=_texts("Retry errors", "Try again where a model failed.")
    )
    file_format: str = field(
        default="",
        metadata=_texts(
            "Format",
            "Read the logs as flat, openai, otel, openinference, langfuse, langsmith or wizard, "
            "or as jsonl, json, csv, tsv, parquet or arrow, whatever they look like.",
        ),
    )
    known: list[str] | None = field(
        default=None,
        metadata=_texts("Known inputs", "Inputs that the store has read before, by fingerprint."),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedOptions(LogOptions):
    """Options of a run over dates."""

    logs: list[str] = field(
        metadata=_texts("Logs", "Paths with the date in them, such as `logs/{date}/*.jsonl.gz`.")
    )
    gates: str = field(
        default="", metadata=_texts("Gates", "TOML file with the gates and the webhook, or empty.")
    )
    timeout_hours: float = field(
        default=0.0,
        metadata=_texts(
            "Timeout in hours", "The scoring of a date is ended after so long; 0 for never."
        ),
    )
    report: str = field(
        default="",
        metadata=_texts(
            "Report", "HTML file to write, such as `reports/{date}.html`; empty for none."
        ),
    )
    report_address: str = field(
        default="",
        metadata=_texts(
            "Report's address",
            "Where people find that file, such as `https://q2.example/{date}.html`; empty for the file "
            "itself. Without a report the run's link leads to the store's folder.",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NightlyOptions(DatedOptions):
    """Options of the nightly run."""

    date: str = field(default="", metadata=_texts("Date", "The logical date; empty for yesterday."))
    timezone: str = field(
        default="UTC", metadata=_texts("Time zone", "Time zone in which yesterday is meant.")
    )
    catch_up_days: int = field(
        default=14,
        metadata=_texts(
            "Catch-up days",
            "How many days before the date are looked at, back to the first known one.",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillOptions(DatedOptions):
    """Options of a run over a range of past dates."""

    start: str = field(metadata=_texts("Start", "The first date."))
    end: str = field(metadata=_texts("End", "The last date; it is included."))


def help_of(options: type[Job], name: str) -> str:
    """Return the text that describes an option."""
    (found,) = (option for option in fields(options) if option.name == name)
    description: str = found.metadata["description"]
    return description
