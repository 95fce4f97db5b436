"""Flow of ``q2 evaluate``, for a schedule that watches the agreement of the models with people."""

from pathlib import Path
from typing import Any

from prefect import flow
from prefect.artifacts import create_markdown_artifact

from qsquared.evaluation import evaluate as evaluation
from qsquared.evaluation.reporting.report import FORMS, markdown, write_report
from qsquared.flows.prefect_api.event_loops import end_with_process
from qsquared.flows.running.stopping import handle_sigterm_ourselves
from qsquared.tasks.jobs.options import Job

end_with_process()


@flow(name="evaluate", validate_parameters=False, persist_result=False)
def evaluate(
    protocol: str = "q2-wow",
    data: str = "data",
    store: str = "q2-evaluation",
    profile: str = "compact",
    profiles: str = "",
    device: str = "cpu",
    reports: str = "reports",
) -> dict[str, Any]:
    """Measure the metrics on labelled data; the report is an artifact of the run, and two files.

    Args:
        protocol: its name, as in ``q2 evaluate``.
        data: the published file, or a folder that holds it.
        store: folder for the scores; finished stages are reused.
        profile: name of the set of models.
        profiles: TOML file with further profiles, or empty.
        device: of the models, as torch names it.
        reports: folder for ``PROTOCOL-PROFILE.md`` and ``.json``.

    Returns:
        The report as in its JSON file.
    """
    job = Job(str(Path(store).absolute()), profile, profiles, device=device)
    command = f"q2 evaluate {protocol} --data {data} --profile {profile}"
    with handle_sigterm_ourselves():
        report = evaluation.evaluate(evaluation.get_protocol(protocol), Path(data), job, command)
    for suffix in FORMS:
        write_report(report, Path(reports) / f"{protocol}-{profile}{suffix}")
    create_markdown_artifact(markdown(report), key=f"evaluate-{protocol}")
    return report.to_json()
