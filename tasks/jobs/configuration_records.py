"""Records of configurations and lineages in the store, for people and SQL."""

from datetime import UTC, datetime

from qsquared.storage.records.checks import put_aside_small_files
from qsquared.storage.store import Store
from qsquared.tasks.jobs.configuration import Configuration


def write_configuration(store: Store, configuration: Configuration, completed: bool) -> None:
    """Write what a configuration and its lineages stand for, before a run and at its end."""
    if not completed:
        # A run goes on without what is damaged, and writes its own anew.
        put_aside_small_files(store)
    for stage, lineage in configuration.lineages.items():
        path = store.lineage_path(lineage)
        if not path.exists():
            store.write_json(path, configuration.describe(stage))
    # Empty until a run completes, so that a failed one hides no earlier scores.
    now = datetime.now(UTC).isoformat(timespec="microseconds") if completed else ""
    for metric in configuration.graph.metrics:
        content = configuration.describe_metric(metric)
        name = f"{metric.name}.{configuration.profile}.{content['digest'][:8]}"
        path = store.configuration_path(name)
        if completed or not path.exists():
            store.write_json(path, content | {"last_used": now})
