"""The summary of a scoring run, and of a dry run."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qsquared.cli.terminal.printing import Cell, facts_of, say, show, table_of
from qsquared.display import STATUSES, count, shorten, visible
from qsquared.storage.records.inputs.manifests import InputManifest

_DAMAGED_SHOWN = 3

Fact = tuple[str, Cell]


def _original_path(quarantined: str) -> str:
    """Return the path in the store that a file in quarantine had."""
    return quarantined.rsplit(".", 2)[0].replace("__", "/")


def _mean(value: float | None, interval: Sequence[float] | None, more: str) -> str:
    if value is None:
        return "no turn could be scored"
    within = f"  (95 % interval {interval[0]:.3f} to {interval[1]:.3f})" if interval else ""
    return f"{value:.3f}{within}{more}"


def _means(summary: Mapping[str, Any]) -> Iterator[Fact]:
    measures, turns = summary["measures"], count(summary["turns"], "turn")
    for name in dict.fromkeys(("support", *measures)):
        figures = measures.get(name, {"mean": None})
        if name == "q2_without_nli" or (name == "support" and figures["mean"] is None):
            continue
        more = f", over {figures['turns']:,} of {turns}"
        if name == "q2" and figures["mean"] is not None:
            more = f", without NLI {measures['q2_without_nli']['mean']:.3f}{more}"
        elif name != "support" and figures["turns"] == summary["turns"]:
            more = ""
        words = "Q²" if name == "q2" else name
        yield f"mean {words}", _mean(figures["mean"], figures["interval"], more)


def _empty_logs(summary: Mapping[str, Any]) -> tuple[int, list[str]]:
    """Return the number of empty logs, and their names where these can be told."""
    empty = [log for log in summary["inputs"] if not log["turns"] and not log["rejects"]]
    # Files of equal content share their paths, also with files of earlier runs.
    names = sorted({path for log in empty for path in log["paths"]})
    return len(empty), names if len(names) == len(empty) else []


def _oddities(summary: Mapping[str, Any]) -> Iterator[Fact]:
    yield "rejects", summary["rejects"]
    if summary["unread_times"]:
        unread = f"{count(summary['unread_times'], 'turn')}, which belong to no day"
        yield "unread times", f"{unread} (--time-format)"
    for doubt in dict.fromkeys(log["doubt"] for log in summary["inputs"] if log["doubt"]):
        yield "doubtful", doubt
    for log in summary["unreadable"]:
        yield "unreadable", log["reason"]
    empty, names = _empty_logs(summary)
    if empty:
        yield "empty logs", f"{empty:,}  {', '.join(names)}".rstrip()


def _asked(requests: Mapping[str, Any]) -> str:
    tokens = f"{requests['input_tokens']:,} tokens in and {requests['output_tokens']:,} out"
    price = f", {requests['cost']:.4f} {requests['currency']}" if requests["cost"] else ""
    return f"{requests['requests']:,} to servers, {tokens}{price}; {requests['reused']:,} answers reused"


def show_summary(summary: Mapping[str, Any], worst: Sequence[Mapping[str, Any]]) -> None:
    """Print the counts, the means, the reused shards and the places of the results."""
    show("", facts_of(_facts(summary)))
    _show_queries(summary)
    if worst:
        rows = [(row["id"], row["score"], shorten(row["response"], 120)) for row in worst]
        title = _title([row["score"] for row in worst])
        table = table_of(("id", "score", "response"), rows, title=title)
        table.columns[0].min_width = 8
        table.columns[1].no_wrap = True
        show("", table, "")
        explain = explaining(worst[0]["id"], summary["store"], summary["label"])
        say(f"Why?  {explain}")


def _facts(summary: Mapping[str, Any]) -> Iterator[Fact]:
    yield "turns", f"{summary['turns']:,} ({count(summary['pairs'], 'distinct pair')})"
    # Metrics other than Q² ask no questions, or others.
    words = STATUSES if "q2" in summary["measures"] else STATUSES | {"scored": "scored"}
    for status, number in summary["statuses"].items():
        share = number / max(summary["turns"], 1)
        yield "", f"{number:,}  {words.get(status, status)} ({share:.1%})"
        for unscored in summary["unscored"] if status in ("error", "no_claim") else ():
            if unscored["status"] == status:
                yield "", f"    {count(unscored['turns'], 'turn')}: {unscored['reason']}"
    yield from _oddities(summary)
    yield from _means(summary)
    shards = f"{summary['reused_shards']:,} of {count(summary['shards'], 'shard')}"
    run = count(summary["stages_run"], "stage")
    yield "reused", f"{summary['reused_turns']:,} turns in {shards}; {run} run"
    if damaged := [_original_path(name) for name in summary["damaged"]]:
        more = ", …" if len(damaged) > _DAMAGED_SHOWN else ""
        names = ", ".join(damaged[:_DAMAGED_SHOWN]) + more
        yield "damaged", f"{count(len(damaged), 'file')} computed again: {names}"
    if requests := summary.get("requests"):
        yield "requests", _asked(requests)
    yield "took", f"{summary['seconds']:.1f} s"
    yield "profile", f"{summary['profile']}, configuration {summary['configuration'][:8]}"
    yield "store", summary["store"]
    if "exported" in summary:
        yield "written", summary["exported"]


def _show_queries(summary: Mapping[str, Any]) -> None:
    """Print the commands that list what was only counted, each on one line, to be copied whole."""
    queries = {}
    if summary["rejects"]:
        queries["Rejects?"] = "SELECT source, line, reason FROM rejects"
    if summary["unread_times"]:
        queries["Times?"] = (
            "SELECT id, metadata->>'timestamp_unread' FROM turns WHERE timestamp IS NULL"
        )
    empty, names = _empty_logs(summary)
    if empty and not names:
        queries["Empty logs?"] = "SELECT source FROM inputs WHERE turns + rejects = 0"
    if queries:
        show("")
    say(*(f"{words}  {query(summary, text)}" for words, text in queries.items()))


def _title(scores: Sequence[float]) -> str:
    """Return the title of the lowest scores, with their order where the scores do not show it."""
    if list(scores) == sorted(scores):
        return "Lowest scores"
    return "Lowest scores: first of replies that the knowledge contradicts, then of others"


def query(summary: Mapping[str, Any], text: str) -> str:
    """Return the command that asks the store of a run; ``text`` is SQL without a quote."""
    return f'q2 sql "{text}" --store {shlex.quote(summary["store"])}'


def explaining(turn: str, store: str, label: str) -> str:
    """Return the command that explains a turn; ``label`` names profile and parameters of its score."""
    words = ["q2", "explain", visible(turn), "--store", store]
    if label != "compact":
        words += ["--profile", label]
    return shlex.join(words)


def show_dry_run(inputs: Mapping[str, InputManifest], pairs: int, new: int) -> None:
    """Print the logs, by the paths asked for, and the pairs that a run would read and score."""
    rows = (
        (path, manifest.format, manifest.turns, manifest.rejects)
        for path, manifest in inputs.items()
    )
    show(table_of(("log", "format", "turns", "rejects"), rows))
    say(f"{count(pairs, 'distinct pair')}, {new:,} of them not scored yet. Nothing was written.")
