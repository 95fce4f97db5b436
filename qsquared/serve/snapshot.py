"""A store as it was when it was last read: the figures of all turns, and a table to search.

Figures of millions of turns take many seconds, so they are counted once for each state of the store
and not for each page.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import duckdb

from qsquared.errors import LimitError
from qsquared.method.threshold import inconsistent_sql
from qsquared.report.cases import Case, case_of
from qsquared.report.page import READS, corrected, figures_of
from qsquared.report.queries import GROUPED, lead_by_q2
from qsquared.report.scope import ReportOptions, Scope, current_scope, make_tables
from qsquared.storage.connection import QueryLimits, lock_down, open_connection, quote
from qsquared.storage.outputs.explanations import Record, records
from qsquared.storage.records.indexes.store_index import StoreIndex, open_index
from qsquared.storage.sql.derived_views import read_by
from qsquared.storage.sql.queries import ended_after
from qsquared.storage.sql.views import connect, create_views
from qsquared.storage.store import Store

PLACES = {
    "anywhere": "response || chr(10) || knowledge",
    "replies": "response",
    "knowledge": "knowledge",
}
"""The texts that a search may look into, as SQL."""

_LONGEST = 200
_NAMES = {"words": "q", "place": "in", "verdict": "which"}


@dataclass(frozen=True, slots=True)
class Search:
    """Words in a place, a verdict, and the value of a field of the log."""

    words: str = ""
    place: str = "anywhere"
    verdict: str = ""
    field: str = ""
    value: str = ""

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> Search:
        """Return the search of an address; what an address cannot state is left out."""
        given = {
            name: text[:_LONGEST]
            for name in asdict(cls())
            if (text := parameters.get(_NAMES.get(name, name), ""))
        }
        if given.get("place") not in PLACES:
            given.pop("place", None)
        return cls(**given)

    def address(self, **more: object) -> dict[str, object]:
        """Return the parameters of the search's address, with more of them."""
        unasked = asdict(Search())
        stated = {
            _NAMES.get(name, name): text
            for name, text in asdict(self).items()
            if text != unasked[name]
        }
        return stated | more


def number_of(text: str, most: int) -> int:
    """Return a number in an address, at most so large; 0 for anything else."""
    # Python reads no number of thousands of digits.
    return min(int(text[:6]), most) if text.isascii() and text.isdigit() else 0


def excerpt(text: str, words: str, length: int) -> list[tuple[str, bool]]:
    """Return the part of a text that begins near the first of some words, in pieces.

    Each piece has whether it is one of the words, in capitals or not.
    """
    sought = sorted(words.split(), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, sought)) or r"(?!)", re.IGNORECASE)
    first = pattern.search(text)
    beyond = first is not None and first.end() > length
    start = max(0, first.start() - length // 3) if first is not None and beyond else 0
    part = text[start : start + length]
    pieces, end = [("… ", False)] * (start > 0), 0
    for match in pattern.finditer(part):
        pieces += [(part[end : match.start()], False), (match[0], True)]
        end = match.end()
    pieces += [(part[end:], False), (" …", False)][: 1 + (start + length < len(text))]
    return [piece for piece in pieces if piece[0]]


SECONDS_A_QUERY = 5.0
ROWS_A_PAGE = 50
_TURNS_SHOWN = 20

_OF_A_REPLY = "pairs, outcomes, evidence, sentences, sentence_scores, sentence_entailment, labels"

# In the order in which a search shows them, so that it can stop at a full page.
_REPLIES = """
CREATE TABLE all_replies AS
SELECT r.*, p.shard, p.knowledge FROM (
  SELECT pair_id, any_value(score) AS score, any_value(status) AS status,
         any_value(contradicted) AS contradicted, any_value(response) AS response,
         min(id) AS id, list(id) AS ids, count(*) AS turns
  FROM current WHERE pair_id IS NOT NULL GROUP BY pair_id
) r JOIN (SELECT pair_id, shard, array_to_string(knowledge, chr(10)) AS knowledge FROM pairs) p
  USING (pair_id)
ORDER BY score NULLS LAST, contradicted DESC NULLS LAST, pair_id
"""
# Of the fields that the report groups by.
_GROUPS = f"""
CREATE TABLE all_groups AS SELECT DISTINCT pair_id, field, value FROM {GROUPED}
WHERE pair_id IS NOT NULL AND field IN (SELECT unnest(?))
"""
_IN_GROUP = "SELECT pair_id FROM all_groups WHERE ? IN ('', field) AND ? IN ('', value)"


@dataclass(frozen=True, slots=True)
class Hits:
    """A page of the replies that a search finds, and whether there are more."""

    rows: list[Record]
    more: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The figures of the report, and the replies in a connection of their own."""

    figures: dict[str, Any]
    index: StoreIndex
    connection: duckdb.DuckDBPyConnection

    @property
    def scope(self) -> Scope:
        """The turns that the figures are about."""
        scope: Scope = self.figures["scope"]
        return scope

    def search(self, query: Search, start: int) -> Hits:
        """Return the replies that hold all words, or have the id or a turn of it, the lowest score first.

        Some turn of each has the value of the field.

        Raises:
            LimitError: it takes too long.
        """
        parts = query.words.split()
        conditions = [f"contains(lower({PLACES[query.place]}), lower(?))"] * len(parts)
        fits = " AND ".join(conditions) or "true"
        if parts:
            # An id may hold blanks.
            fits = f"({fits} OR list_contains(ids, ?) OR pair_id = ?)"
        values = [*parts, query.words.strip(), query.words.strip()] if parts else []
        low = inconsistent_sql("score", self.figures["threshold"])
        where = {
            "inconsistent": low,
            "contradicted": f"contradicted > 0 AND {low}",
            "unscored": "score IS NULL",
        }.get(query.verdict, "true")
        where = f"{fits} AND {where}"
        if query.field or query.value:
            # A table is read in its order, its join with another is not.
            where += f" AND pair_id IN ({_IN_GROUP}) ORDER BY rowid"
            values += [query.field, query.value]
        with _asked(self.connection) as cursor:
            rows = records(
                cursor,
                "SELECT pair_id, score, status, contradicted, response, knowledge, id, turns "
                f"FROM all_replies WHERE {where} LIMIT {ROWS_A_PAGE + 1} OFFSET {start:d}",
                *values,
            )
        return Hits(rows[:ROWS_A_PAGE], len(rows) > ROWS_A_PAGE)

    def reply(self, pair: str) -> tuple[Case, list[Record]] | None:
        """Return the explanation of a reply, and the first turns that gave it; None if there is none.

        Raises:
            LimitError: it takes too long.
            DamagedFile: a table of its shard cannot be trusted; the logs were checked with the figures.
        """
        with _asked(self.connection) as cursor:
            rows = records(cursor, "SELECT shard FROM all_replies WHERE pair_id = ?", pair)
        if not rows:
            return None
        # Only the files of its shard are checked and opened, beside the logs.
        shards = {name: names & {rows[0]["shard"]} for name, names in self.index.shards_of.items()}
        shown = [self.scope.configuration]
        near = dataclasses.replace(self.index, shards_of=shards, all_configurations=shown)
        near.check(read_by(_OF_A_REPLY) - {"turns"})
        store = self.index.store
        with open_connection(store.root) as connection:
            create_views(connection, near, sql=_OF_A_REPLY)
            lock_down(connection, store.root, QueryLimits(SECONDS_A_QUERY))
            with _asked(connection) as cursor:
                make_tables(cursor, self.scope, f"pair_id = {quote(pair)}")
                if self.figures["lead"].reason:
                    lead_by_q2(cursor, "current")
                case = case_of(cursor, self.scope, pair)
                turns = records(
                    cursor,
                    "SELECT id, parse_filename(source) AS log, timestamp::TEXT AS timestamp "
                    f'FROM current ORDER BY timestamp, source, "position" LIMIT {_TURNS_SHOWN}',
                )
        return None if case is None else (case, turns)


@contextmanager
def _asked(connection: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a cursor whose queries end in time.

    Raises:
        LimitError: they take too long.
    """
    try:
        with connection.cursor() as cursor, ended_after(cursor, SECONDS_A_QUERY):
            yield cursor
    except TimeoutError as error:
        raise LimitError(
            f"The search took longer than {SECONDS_A_QUERY:g} s and was ended.",
            "Ask for fewer or rarer words.",
        ) from error


def take(
    store: Store,
    profile: str | None,
    opened: Callable[[duckdb.DuckDBPyConnection], None] = lambda _: None,
) -> Snapshot:
    """Read a store whole.

    ``opened`` is called with the connection, which another thread may interrupt.

    Raises:
        UsageError: nothing was scored yet, or there is no such profile.
        DamagedFile: a table cannot be trusted.
    """
    index, options = open_index(store), ReportOptions(profile=profile, cases=0)
    scope = current_scope(index, options)
    connection = connect(store, READS)
    opened(connection)
    try:
        figures = figures_of(connection, index, scope, options)
        grouping = [field["name"] for field in figures["fields"] if field["groups"]]
        connection.execute(_REPLIES)
        connection.execute(_GROUPS, [grouping])
        connection.execute("DROP TABLE current")
        figures["corrected"] = corrected(store, scope)
    except BaseException:
        connection.close()
        raise
    return Snapshot(figures, index, connection)
