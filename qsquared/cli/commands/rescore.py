"""Score all turns of a store by this version of the program: ``q2 rescore``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from qsquared.cli.help_pages import app
from qsquared.cli.options import (
    DEFAULT_STORE,
    DeviceOption,
    ProfilesOption,
    StoreOption,
    open_store,
)
from qsquared.cli.terminal.printing import say
from qsquared.display import count
from qsquared.errors import UsageError
from qsquared.tasks.jobs.options import RescoreOptions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@app.command()
def rescore(
    store: StoreOption = DEFAULT_STORE,
    since: str = "",
    profile: str = "",
    metric: str = "",
    profiles: ProfilesOption = None,
    device: DeviceOption = "cpu",
) -> None:
    """Score the turns of a store anew where their scores are of an older version; reads no log.

    Each metric and profile of the store is scored, with the parameters that it had.

    Args:
        since (DATE): Only logs with turns of this day or later.
        profile: Only scores of this profile, as q2 status shows it.
        metric: Only scores of this metric.

    Note:
        After an upgrade. Stopped at any moment, the same command goes on.

    Examples:
        q2 rescore --since 2026-11-01
        q2 rescore --profile compact --metric q2
    """
    from qsquared.storage.records.date_records import parse_date
    from qsquared.storage.records.indexes.store_index import open_index

    if since:
        parse_date(since)
    configurations = [
        configuration
        for configuration in open_index(open_store(store)).configurations
        if profile in {"", configuration["profile"]} and metric in {"", configuration["metric"]}
    ]
    if not configurations:
        raise UsageError("The store has no such scores.", "Its metrics and profiles: q2 status")
    for configuration in configurations:
        options = RescoreOptions(
            store=str(store.absolute()),
            profile=configuration["profile"].split("+")[0],
            profiles=str(profiles.absolute()) if profiles else "",
            metrics=(configuration["metric"],),
            parameters=json.dumps(_parameters(configuration), sort_keys=True),
            device=device,
            since=since,
        )
        summary = _run(store, options)
        scored = count(summary["turns"], "turn")
        done = f"{configuration['metric']}, {configuration['profile']}: {scored} scored by this version."
        if summary["unread"]:
            done += f" {summary['unread']:,} more have no reply or no knowledge."
        say(done)


def _parameters(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that a label names, which are not the defaults."""
    names = [part.partition("=")[0] for part in configuration["profile"].split("+")[1:]]
    return {name: configuration["parameters"].get(name, True) for name in names}


def _run(store: Path, options: RescoreOptions) -> dict[str, Any]:
    """Run the flow with an API of its own and show how far it is; return what it did."""
    from qsquared.cli.terminal.progress import watched
    from qsquared.flows.running.embedded_prefect import embedded_prefect

    with watched(), embedded_prefect(store):
        from qsquared.flows.rescore import rescore as flow

        summary: dict[str, Any] = flow(**asdict(options))
    return summary
