"""``python -m lab.benchmarks.growth.large_table``: time queries of a table of ten million rows.

The store is made of synthetic rows in the real layout, once, in the folder that is named.
Each query is run by ``q2 sql``'s own code, with the check of every byte behind its tables, and
again without it.
"""

import argparse
import re
import time
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from lab.benchmarks.growth.synthetic_store import FIRST_DAY, QUESTIONS_A_PAIR, make_store
from lab.benchmarks.machine import describe_machine
from qsquared.storage.sql.catalogue import connect
from qsquared.storage.sql.queries import query
from qsquared.storage.store import Store

QUERIES = {
    "verdicts of all rows": "SELECT profile, verdict, count(*) AS n FROM comparisons GROUP BY ALL ORDER BY ALL",
    "one profile of two": "SELECT verdict, avg(token_f1) FROM comparisons WHERE profile = 'synthetic-other' GROUP BY 1",
    "one pair": "SELECT span_index, verdict, score FROM comparisons WHERE profile = 'synthetic' AND pair_id = '{pair}'",
    "failed rows": "SELECT count(*) FROM comparisons WHERE error IS NOT NULL",
    "turns of one day": "SELECT count(*), count(DISTINCT conversation_id) FROM turns WHERE timestamp >= '{day}' AND timestamp < '{next}'",
    "trend of all days": "SELECT day, rate, rate_low, rate_high FROM daily WHERE profile = 'synthetic' ORDER BY day",
}


def main() -> None:
    """Make the store if it is not there, ask, and print times and plans."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the store is, or is made")
    parser.add_argument("--rows", type=int, default=10_000_000, help="of the table comparisons")
    parser.add_argument("--nights", type=int, default=90, help="number of logs")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only-make", action="store_true")
    options = parser.parse_args()
    console = Console(width=160)
    if not (options.folder / "store.json").exists():
        begun = time.perf_counter()
        # One shard in ten is scored by the other profile, too.
        pairs = round(options.rows / QUESTIONS_A_PAIR / 1.1)
        make_store(options.folder, pairs, options.nights)
        console.print(f"made in {time.perf_counter() - begun:.0f} s")
    if not options.only_make:
        _measure(console, Store.open(options.folder), options.repeats)


def _measure(console: Console, store: Store, repeats: int) -> None:
    with connect(store, "comparisons") as connection:
        rows, pair = query(connection, "SELECT count(*), max(pair_id) FROM comparisons").row(0)
    files = list((store.root / "stages" / "comparisons").rglob("*.parquet"))
    size = sum(path.stat().st_size for path in files)
    machine = describe_machine()
    console.print(
        f"comparisons: {rows:,} rows in {len(files):,} files, {size / 1e6:,.0f} MB; "
        f"{machine['processor']}, {machine['cores']} cores"
    )
    table = Table("question", "with check, s", "without, s", "row groups read", "of")
    for name, text in QUERIES.items():
        day = FIRST_DAY.replace(day=17)
        sql = text.format(pair=pair, day=f"{day:%Y-%m-%d}", next=f"{day.replace(day=18):%Y-%m-%d}")
        checked, plain = [], []
        for _ in range(repeats):
            begun = time.perf_counter()
            with connect(store, sql) as connection:
                opened = time.perf_counter()
                query(connection, sql)
                plain.append(time.perf_counter() - opened)
            checked.append(time.perf_counter() - begun)
        with connect(store, "SELECT 1") as connection:
            plan = connection.execute(f"EXPLAIN ANALYZE {sql}").fetchall()[0][1]
        table.add_row(name, f"{median(checked):.2f}", f"{median(plain):.2f}", *_groups(plan))
        console.print(f"\n{name}: {sql}", markup=False, highlight=False)
        for line in re.findall(
            r"│ ((?:Filters|Dynamic Filters|Total Files|Row Groups|File Filters).*?) *│", plan
        ):
            console.print(f"    {line}", markup=False, highlight=False)
    console.print(table)


def _groups(plan: str) -> tuple[str, str]:
    """Return the number of row groups that the scans of a plan read, and that of all."""
    scans = re.findall(r"Row Groups Scanned: ([\d,]+) / ([\d,]+)", plan)
    read, every = (
        (sum(int(n.replace(",", "")) for n in side) for side in zip(*scans, strict=True))
        if scans
        else (0, 0)
    )
    return f"{read:,}", f"{every:,}"


if __name__ == "__main__":
    main()
