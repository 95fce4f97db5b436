"""``q2 evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qsquared.cli.options import ProfileOption, ProfilesOption, app


@app.command(
    epilog="Example:  q2 evaluate q2-wow --data third_party/data --markdown q2-wow.md   ·   protocols: "
    "q2-wow, q2-system-level, q2-random-knowledge, topical-chat, dnli, qags-cnndm, qags-xsum, "
    "ranking, usr, begin, binary"
)
def evaluate(
    protocol: Annotated[str, typer.Argument(metavar="NAME", help="Protocol; see below.")],
    data: Annotated[
        Path, typer.Option(metavar="PATH", help="The published file, or a folder that holds it.")
    ],
    store: Annotated[
        Path, typer.Option("--store", metavar="DIR", help="Folder for what is scored.")
    ] = Path("q2-evaluation"),
    profile: ProfileOption = "compact",
    profiles: ProfilesOption = None,
    also_profile: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Also list Q² with the models of this profile, where a table has such rows.",
        ),
    ] = None,
    prepend_summary: Annotated[
        bool,
        typer.Option(help="For qags-xsum: prepend the summary to its article, as the paper does."),
    ] = True,
    against: Annotated[
        str | None,
        typer.Option(metavar="MEASURE", help="Also show each measure's difference to this one."),
    ] = None,
    device: Annotated[
        str, typer.Option(metavar="NAME", help="Where the models run: cpu, cuda, cuda:1, mps.")
    ] = "cpu",
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report as Markdown.")
    ] = None,
    as_json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the report as JSON.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one page with the curves.")
    ] = None,
) -> None:
    """Measure how far the metrics agree with people, beside the papers' published figures."""
    from qsquared.cli.evaluate import EvaluateCommand, run_evaluate

    outputs = {"markdown": markdown, "json": as_json, "html": html}
    run_evaluate(
        EvaluateCommand(
            protocol,
            data,
            store,
            profile,
            profiles,
            tuple(also_profile or ()),
            prepend_summary,
            against,
            device,
            outputs,
        )
    )
