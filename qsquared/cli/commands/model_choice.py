"""Check a profile, and compare profiles on the same replies: ``q2 models check`` and ``compare``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from qsquared.cli.help_pages import examples
from qsquared.cli.options import (
    DEFAULT_STORE,
    DeviceOption,
    ProfilesOption,
    StoreOption,
    YesOption,
    models_app,
)
from qsquared.cli.reading import LogReading, reads_logs
from qsquared.cli.terminal import Cell, say, table_of
from qsquared.errors import ModelError, UsageError
from qsquared.tasks.jobs.options import ScoreOptions, help_of
from qsquared.text import duration, shorten

if TYPE_CHECKING:
    from qsquared.flows.comparing.check import Check
    from qsquared.flows.comparing.compare import Comparison
    from qsquared.method.bootstrap import Figure

_SHOWN_WIDTH = 70


@models_app.command(epilog=examples("q2 models check", "q2 models check paper"))
def check(
    profile: Annotated[str, typer.Argument(metavar="PROFILE")] = "compact",
    profiles: ProfilesOption = None,
    device: DeviceOption = "cpu",
    yes: YesOption = False,
) -> None:
    """Try a profile on sixty labelled replies; fail if its verdicts are no better than chance."""
    from qsquared.flows.comparing.check import check_profile
    from qsquared.language.engines.arithmetic import check_device
    from qsquared.language.engines.cache import checks_folder

    check_device(device)
    console = Console(highlight=False)
    with _watched(console, profile):
        found = check_profile(profile, profiles, device, yes=yes)
    store = checks_folder() / "store"
    _show_check(console, found)
    if found.wrong:
        say(console, f"Why?  q2 explain {found.wrong[0]} --profile {profile} --store {store}")
    if found.problems:
        raise ModelError(
            f"The profile {profile} fails its check. " + " ".join(found.problems),
            f"Check its files with: q2 models verify {profile}; and what it says: "
            f"q2 explain {found.wrong[0]} --profile {profile} --store {store}",
        )


@contextmanager
def _watched(console: Console, profile: str) -> Iterator[None]:
    from qsquared.cli.watch import watched

    say(console, f"profile {profile}")
    with watched(console):
        yield


def _show_check(console: Console, found: Check) -> None:
    rows: list[tuple[Cell, ...]] = [
        ("supported" if kind.supported else "unsupported", kind.name, kind.right, kind.replies)
        for kind in found.kinds
    ]
    replies = sum(kind.replies for kind in found.kinds)
    rows.append(("all", "", sum(kind.right for kind in found.kinds), replies))
    console.print(table_of(("label", "kind of reply", "right", "of"), rows))
    console.print()
    measures = ((name, *_figure(one.auc)) for name, one in found.measures.items())
    console.print(table_of(("measure", "ROC-AUC", "[95 %]"), measures, right=("ROC-AUC",)))
    say(
        console,
        f"Questions come through on {found.asked} of {replies} replies. A thousand replies as long as "
        f"these take {duration(1000 * found.seconds_per_reply)} here." + _price(found.requests),
    )


@models_app.command(
    epilog=examples(
        "q2 models compare --profiles compact,compact-int8 --logs logs/2026-11-16.jsonl --limit 20"
    )
)
@partial(reads_logs, named=True)
def compare(
    reading: LogReading,
    names: Annotated[
        str, typer.Option("--profiles", metavar="NAME,NAME…", help="The profiles to compare.")
    ],
    labels: Annotated[
        str,
        typer.Option(
            metavar="FILE|FIELD",
            help="CSV with the columns turn and verdict, or a field of the log: supported or unsupported.",
        ),
    ] = "",
    limit: Annotated[
        int, typer.Option(min=1, metavar="N", help="Score the first N turns only.")
    ] = 200,
    cases: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Replies shown on which the profiles differ most."),
    ] = 5,
    store: StoreOption = DEFAULT_STORE,
    file: Annotated[
        Path | None,
        typer.Option("--profiles-file", metavar="FILE", help=help_of(ScoreOptions, "profiles")),
    ] = None,
    device: DeviceOption = "cpu",
    yes: YesOption = False,
) -> None:
    """Score the same replies by several profiles, and show how good, alike and fast they are."""
    from qsquared.flows.comparing.compare import compare_profiles
    from qsquared.language.engines.arithmetic import check_device
    from qsquared.profiles.loading import get_profile

    check_device(device)
    wanted = list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    if len(wanted) < 2:
        raise UsageError(
            f"--profiles {names} names fewer than two profiles.",
            "Name two or more: --profiles compact,base",
        )
    for name in wanted:
        get_profile(name, file)
    fields, form = reading.stated()
    options = ScoreOptions(
        logs=reading.logs,
        store=str(store.absolute()),
        profiles=str(file.absolute()) if file else "",
        mapping=fields,
        file_format=form,
        limit=limit,
        device=device,
        yes=yes,
    )
    console = Console(highlight=False)
    found = compare_profiles(options, wanted, labels, cases, lambda name: _watched(console, name))
    _show_comparison(console, found, store)


def _show_comparison(console: Console, found: Comparison, store: Path) -> None:
    quality = ("ROC-AUC [95 %]", "balanced accuracy [95 %]") if found.labelled else ()
    rows = [
        (
            one.profile,
            *(
                " ".join(_figure(part))
                for part in ((one.quality.auc, one.quality.balanced) if one.quality else ())
            ),
            f"{one.inconsistent:,} of {one.scored:,}",
            duration(1000 * one.seconds_per_reply),
        )
        for one in found.profiles
    ]
    labelled = f", {found.labelled:,} of them labelled" if found.labelled else ""
    say(console, f"{found.replies:,} replies{labelled}")
    console.print(table_of(("profile", *quality, "inconsistent", "1,000 take"), rows))
    asked = {one.profile: _price(one.requests) for one in found.profiles}
    say(console, *(f"{name}:{price}" for name, price in asked.items() if price))
    for pair in found.agreements:
        share = f"{pair.same / pair.replies:.0%}" if pair.replies else "none"
        say(
            console,
            f"{pair.first} and {pair.second} agree on {pair.same:,} of {pair.replies:,} replies ({share}).",
        )
    if found.cases:
        console.print()
        names = [one.profile for one in found.profiles]
        known = ["label"] if found.labelled else []
        words = {True: "supported", False: "unsupported", None: ""}
        differing = (
            (case.id, *case.scores, *(words[case.supported] for _ in known),
             shorten(case.response, _SHOWN_WIDTH))
            for case in found.cases
        )  # fmt: skip
        console.print(table_of(("they differ on", *names, *known, "reply"), differing))
        first = found.cases[0].id
        say(console, f"Why?  q2 explain {first} --profile {names[-1]} --store {store}")


def _price(requests: dict[str, Any] | None) -> str:
    """Return a sentence on what servers were asked; empty where none plays a role."""
    if not requests:
        return ""
    price = f" for {requests['cost']:.4f} {requests['currency']}" if requests["cost"] else ""
    kept = f"; {requests['reused']:,} answers were kept before" if requests["reused"] else ""
    return f" It took {requests['requests']:,} requests{price}{kept}."


def _figure(figure: Figure) -> tuple[str, str]:
    value = "" if figure.value is None else f"{figure.value:.2f}"
    interval = figure.interval
    return value, "" if interval is None else f"[{interval[0]:.2f}, {interval[1]:.2f}]"
