"""Choose the turns to erase (by log, id, conversation, age, or any SQL condition), and find them outside the store."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb

from qsquared.errors import UsageError
from qsquared.storage.connection import ask, exact_patterns, lock_down, open_connection, quote
from qsquared.storage.logs.paths import log_path
from qsquared.storage.records.inputs.manifests import InputManifest, all_manifests
from qsquared.storage.records.runs import written_files
from qsquared.storage.sql.queries import not_selected
from qsquared.storage.store import Store
from qsquared.storage.tables import TURNS, ScoredUnit
from qsquared.storage.upkeep.word_search import words_in

_AGE = re.compile(r"(\d+(?:\.\d+)?)\s*d(?:ays?)?")
_TURNS = """
CREATE VIEW turns AS SELECT l.source, l.ingested_at, t.*
FROM read_parquet({files}) t LEFT JOIN logs l USING (input)
"""
_CHOSEN = "CREATE TABLE chosen AS SELECT DISTINCT input, position FROM turns WHERE {where}"
_REJECTED = r"""
SELECT DISTINCT r.input, r.position FROM read_parquet({files}) r
JOIN (SELECT unnest($names) AS name) n
  ON regexp_matches(r.raw, '(^|[^\w-])' || regexp_escape(n.name) || '($|[^\w-])')
"""
_BY_INPUT = "SELECT input, list(position ORDER BY position) FROM ({rows}) GROUP BY ALL ORDER BY ALL"
_PAIRS = """
SELECT count(DISTINCT pair_id) FROM turns SEMI JOIN chosen USING (input, position)
WHERE pair_id NOT IN (
  SELECT pair_id FROM turns ANTI JOIN chosen USING (input, position) WHERE pair_id IS NOT NULL
)
"""
_SOURCES = """
SELECT coalesce(source, '(a log that has newer content since)'), count(*)
FROM turns SEMI JOIN chosen USING (input, position) GROUP BY 1 ORDER BY 1
"""
_MOST = 1000
_TEXTS = f"""
SELECT DISTINCT text
FROM (SELECT unnest([id, response, history[-1]]) AS text FROM turns SEMI JOIN chosen USING (input, position))
WHERE length(trim(text)) >= 4 LIMIT {_MOST + 1}
"""


@dataclass(frozen=True, slots=True)
class ErasureRequest:
    """The turns that a person wants erased: those of any of the given kinds.

    ``logs`` are paths, ``where`` is an SQL condition on `turns`; of ``older_than_days`` a turn without
    a time is as old as the reading of its log.
    """

    logs: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    conversations: tuple[str, ...] = ()
    where: str = ""
    older_than_days: float | None = None

    @property
    def kinds(self) -> list[str]:
        """The names of the kinds that are given, without their values."""
        return [name for name, value in asdict(self).items() if value not in ((), "", None)]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Positions of turns and rejects by input; ``whole`` inputs go with their manifests.

    ``pairs`` are the distinct replies that no other turn gave; ``sources`` counts turns by log;
    ``texts`` are words of the turns, by which files outside the store are searched.
    """

    turns: dict[str, list[int]]
    rejects: dict[str, list[int]]
    whole: tuple[str, ...]
    pairs: int = 0
    sources: dict[str, int] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)

    @property
    def number(self) -> int:
        """The number of turns."""
        return sum(map(len, self.turns.values()))

    @property
    def empty(self) -> bool:
        """Whether nothing is chosen."""
        return not (self.turns or self.rejects or self.whole)


def days_of(age: str) -> float | None:
    """Return the days of an age such as 90d, None for an empty text.

    Raises:
        UsageError: it is none.
    """
    match = _AGE.fullmatch(age.strip())
    if age and not match:
        raise UsageError(f"The age {age!r} is no number of days.", "Give it as 90d.")
    return float(match[1]) if match else None


def choose(store: Store, request: ErasureRequest) -> Chosen:
    """Return the rows that a request names, in all contents of all logs that the store still holds.

    Raises:
        UsageError: the condition is no SQL, or the store has read no such log.
    """
    manifests = all_manifests(store)
    paths = {str(log_path(log)) for log in request.logs}
    whole = tuple(_contents(manifests, paths)) if paths else ()
    if unknown := paths - {path for log in manifests for path in log.paths or log.was_at}:
        raise UsageError(
            f"The store has read no log {min(unknown)}.", "The logs: q2 status, column input"
        )
    turns, rejects = (exact_patterns(store.tables(name)) for name in ("turns", "rejects"))
    if not turns:
        return Chosen({}, {}, whole)
    with open_connection(store.root) as connection:
        connection.execute("CREATE TABLE logs (input TEXT, source TEXT, ingested_at TIMESTAMPTZ)")
        for manifest in manifests:
            for path in manifest.paths or (None,):
                row = [manifest.fingerprint, path, manifest.ingested_at]
                connection.execute("INSERT INTO logs VALUES (?, ?, ?)", row)
        connection.execute(_TURNS.format(files=quote(turns)))
        lock_down(connection, store.root)
        where = _condition(request, whole)
        try:
            connection.execute(_CHOSEN.format(where=where))
        except duckdb.Error as error:
            raise not_selected(error, "the table `turns`", "metadata->>'user' = 'u17'") from error
        chosen = dict(connection.execute(_BY_INPUT.format(rows="FROM chosen")).fetchall())
        names = {"names": [*request.ids, *request.conversations]}
        query = _BY_INPUT.format(rows=_REJECTED.format(files=quote(rejects)))
        rejected = dict(connection.execute(query, names).fetchall())
        ((pairs,),) = connection.execute(_PAIRS).fetchall()
        sources = dict(connection.execute(_SOURCES).fetchall())
        texts = [text for (text,) in connection.execute(_TEXTS).fetchall()]
    return Chosen(chosen, rejected, whole, pairs, sources, texts)


def _contents(manifests: Sequence[InputManifest], paths: set[str]) -> Iterator[str]:
    """Yield the contents that logs have or had, with those that are only the beginning of one.

    A content that is shown nowhere, and of which older versions did not note the path, is one of them.
    """
    contents: set[str] = set()
    hidden = {manifest.fingerprint: manifest for manifest in manifests if not manifest.paths}
    while (
        more := {
            manifest.fingerprint
            for manifest in manifests
            if paths & set(manifest.paths or manifest.was_at)
            or (
                manifest.fingerprint in hidden
                and (manifest.within in contents or not (manifest.was_at or manifest.within))
            )
        }
        - contents
    ):
        contents |= more
        yield from sorted(more)


def _condition(request: ErasureRequest, whole: Sequence[str]) -> str:
    named = {"input": whole, "id": request.ids, "conversation_id": request.conversations}
    parts = [
        f"{column} IN ({', '.join(map(quote, values))})"
        for column, values in named.items()
        if values
    ]
    if request.where:
        parts.append(f"({request.where})")
    if request.older_than_days is not None:
        limit = (datetime.now(UTC) - timedelta(days=request.older_than_days)).isoformat()
        parts.append(f"coalesce(timestamp, ingested_at) < CAST({quote(limit)} AS TIMESTAMPTZ)")
    return " OR ".join(parts) or "false"


def unused_units(store: Store, unit: ScoredUnit) -> dict[str, set[str]]:
    """Return, by shard, the pairs or situations that no turn of the store has."""
    files = exact_patterns(store.tables(unit.name))
    turns = exact_patterns(store.tables(TURNS.name))
    if not files:
        return {}
    used = f"SELECT {unit.of_turn} FROM read_parquet({quote(turns)})" if turns else "SELECT NULL"
    rows = ask(
        store.root,
        f"SELECT parse_filename(filename, true), list({unit.key}) "
        f"FROM read_parquet({quote(files)}, filename = true) u "
        f"ANTI JOIN ({used}) t(used) ON u.{unit.key} = t.used GROUP BY ALL",
    )
    return {shard: set(keys) for shard, keys in rows}


def files_outside(store: Store, chosen: Chosen) -> list[Path]:
    """Return the files that hold a reply, a question or an id of the chosen turns.

    Of more than a thousand texts none is searched for: then all files may hold one.
    """
    written = written_files(store) if chosen.number else []
    if len(chosen.texts) > _MOST:
        return written
    return [path for path in written if words_in(path, chosen.texts)]
