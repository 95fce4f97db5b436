"""The SQL views over a store."""

import json
import shutil

import pytest

from qsquared.storage.sql.derived_views import SMALL_TABLES, VIEWS
from qsquared.storage.sql.queries import query
from qsquared.storage.sql.views import connect
from qsquared.storage.store import Store
from qsquared.storage.tables import STAGE_TABLES, TABLES
from qsquared.tasks.metrics import Q2
from tests.calling import q2

SQL_TYPES = {
    "string": "VARCHAR", "int32": "INTEGER", "int64": "BIGINT", "double": "DOUBLE",
    "bool": "BOOLEAN", "timestamp[us, tz=UTC]": "TIMESTAMP WITH TIME ZONE",
    "list<item: string>": "VARCHAR[]", "list<item: int32>": "INTEGER[]",
}  # fmt: skip
BEFORE = {
    "turns": ["source"], "rejects": ["source"], "pairs": ["shard"], "situations": ["shard"],
}  # fmt: skip
AFTER = {"turns": [("situation_id", "VARCHAR")]}
SOUND = "error IS NULL"


@pytest.fixture(scope="module")
def ask(scored):
    """A function from SQL to the rows of the example store."""
    with connect(Store.open(scored.store)) as connection:
        yield lambda sql: query(connection, sql).rows()


def described(connection, view):
    """Name and type of a view's columns."""
    return [(row[0], row[1]) for row in query(connection, f"DESCRIBE {view}").rows()]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("empty", [True, False], ids=["empty", "scored"])
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_each_documented_column_is_there_in_sql(scored, tmp_path, table, empty):
    """Name, type and order are the schema's, in a scored store as in an empty one."""
    store = Store.open(tmp_path, create=True) if empty else Store.open(scored.store)
    with connect(store) as connection:
        found = described(connection, table.name)
    before = BEFORE.get(
        table.name, ["metric", "profile", "configuration"] if table in STAGE_TABLES else []
    )
    assert [name for name, _ in found[: len(before)]] == before
    assert found[len(before) :] == [
        *((column.name, SQL_TYPES[str(column.type)]) for column in table.columns),
        *AFTER.get(table.name, []),
    ]


def test_there_are_no_views_but_the_documented(ask):
    """The tables of the schemas, the small tables and the ready-made views."""
    assert {name for (name,) in ask("SHOW TABLES")} == {
        told.name for told in (*TABLES, *SMALL_TABLES, *VIEWS)
    }


def test_columns_that_are_never_null_have_no_null(ask):
    """The dictionary's statements on NULL hold for every row of the example."""
    for table in TABLES:
        for column in table.columns:
            if not column.nullable:
                assert ask(f'SELECT count(*) - count("{column.name}") FROM {table.name}') == [(0,)]


def test_evidence_has_one_row_for_each_generated_question(ask):
    """Neither the joins to answers nor to comparisons lose or double a question."""
    ((rows, distinct),) = ask(
        "SELECT count(*), count(DISTINCT (profile, pair_id, span_index, rank)) FROM evidence"
    )
    ((questions,),) = ask(f"SELECT count(*) FROM questions WHERE {SOUND}")
    ((kept,),) = ask("SELECT count(*) FROM evidence WHERE roundtrip = 'kept'")
    assert rows == distinct == questions > 0
    assert ask("SELECT count(*) FROM comparisons") == [(kept,)]
    assert ask("SELECT count(verdict) FROM evidence WHERE roundtrip != 'kept'") == [(0,)]


READ = "replace(replace({}, '\u201c', '\"'), '\u201d', '\"')"
"""Typographic quotation marks are read as plain ones."""


def test_offsets_of_spans_cut_their_text_from_the_response(ask):
    """Offsets count characters of the original text, also after emoji and accents."""
    cut = 'p.response[s.start + 1 : s."end"]'
    ((rows, right),) = ask(
        f"SELECT count(*), count(*) FILTER ({READ.format(cut)} = s.text) "
        f"FROM spans s JOIN pairs p USING (pair_id) WHERE {SOUND}"
    )
    assert rows == right > 152


def test_offsets_of_the_replys_answers_cut_their_text_from_the_response(ask):
    """The round trip's answer equals the response at its offsets."""
    cut = "p.response[r.response_start + 1 : r.response_end]"
    ((rows, right),) = ask(
        "SELECT count(*), "
        f"count(*) FILTER ({READ.format(cut)} = r.response_answer) "
        "FROM roundtrip r JOIN pairs p USING (pair_id) WHERE r.response_answer IS NOT NULL"
    )
    assert rows == right > 152


def test_offsets_of_the_knowledges_answers_cut_their_text_from_the_passage(ask):
    """Passage and offsets lead to the very answer."""
    cut = "p.knowledge[a.passage + 1][a.knowledge_start + 1 : a.knowledge_end]"
    ((rows, right),) = ask(
        f"SELECT count(*), count(*) FILTER ({READ.format(cut)} = a.knowledge_answer) "
        "FROM answers a JOIN pairs p USING (pair_id) WHERE a.knowledge_answer IS NOT NULL"
    )
    assert rows == right > 0
    assert ask(
        "SELECT count(*) FROM answers WHERE knowledge_answer IS NULL "
        "AND coalesce(passage, knowledge_start, knowledge_end) IS NOT NULL"
    ) == [(0,)]


def test_scores_lie_in_0_to_1_or_are_null_with_a_status(ask):
    """Neither NaN nor a number outside the range, and NULL only where nothing was or could be scored."""
    for column in ("q2", "q2_without_nli"):
        assert ask(
            f"SELECT count(*) FROM scores WHERE NOT ({column} BETWEEN 0 AND 1) OR isnan({column})"
        ) == [(0,)]
    assert ask(
        "SELECT count(*) FROM scores WHERE (q2 IS NULL) != (status IN ('error', 'no_claim', 'other_language')) "
        "OR (reason IS NULL) != (status = 'scored') OR (q2 IS NULL) != (q2_without_nli IS NULL)"
    ) == [(0,)]
    assert ask(
        "SELECT count(*) FROM turns LEFT JOIN scores USING (pair_id) "
        "WHERE coalesce(turns.status, scores.status) IS NULL"
    ) == [(0,)]


def test_a_score_is_the_mean_of_its_questions(ask):
    """The questions in `evidence` average to the value in `scores`, and the counts agree."""
    assert ask(
        "WITH mean AS (SELECT pair_id, avg(score) AS q2, avg(token_f1) AS plain, count(*) AS n, "
        "count(*) FILTER (verdict = 'no_answer') AS unanswered, "
        "count(*) FILTER (verdict = 'contradicted') AS contradicted "
        "FROM evidence WHERE roundtrip = 'kept' GROUP BY ALL) "
        "SELECT count(*) FROM scores s FULL JOIN mean m USING (pair_id) WHERE s.status = 'scored' "
        "AND (abs(s.q2 - m.q2) > 1e-9 OR abs(s.q2_without_nli - m.plain) > 1e-9 OR m.q2 IS NULL "
        "OR s.questions != m.n OR s.no_answer != m.unanswered OR s.contradicted != m.contradicted)"
    ) == [(0,)]


def test_each_pair_has_one_score_and_one_shard(ask):
    """Pairs are distinct over the whole store."""
    assert ask("SELECT count(*), count(DISTINCT pair_id) FROM pairs") == [(152, 152)]
    assert ask("SELECT count(*), count(DISTINCT pair_id) FROM scores") == [(152, 152)]


def test_inputs_and_runs_tell_of_every_log_and_run(ask):
    """The counts of inputs are those of their rows; a run's record can be queried."""
    assert ask(
        "SELECT count(*) FROM inputs i WHERE "
        "turns != (SELECT count(*) FROM turns t WHERE t.input = i.input) OR "
        "rejects != (SELECT count(*) FROM rejects r WHERE r.input = i.input)"
    ) == [(0,)]
    assert ask("SELECT count(*), sum(turns)::INT, sum(rejects)::INT FROM inputs") == [(3, 163, 5)]
    first = "SELECT status, turns, (summary ->> 'rejects')::INT FROM runs ORDER BY run_id LIMIT 1"
    assert ask(first) == [("completed", 163, 5)]


def test_times_are_shown_in_utc(ask):
    """The zone of the machine changes no day."""
    ((shown,),) = ask("SELECT CAST(timestamp AS VARCHAR) FROM turns WHERE id = '1116-001'")
    assert shown == "2026-11-16 06:58:36+00"


@pytest.fixture(scope="module")
def several(tmp_path_factory, profiles):
    """A store scored by a profile with two configurations, and a log changed since."""
    folder = tmp_path_factory.mktemp("several")
    log, store = folder / "log.jsonl", folder / "store"

    def write(*turns):
        log.write_text(
            "".join(
                json.dumps(
                    {
                        "id": f"t{i}",
                        "knowledge": f"The mill of Ely has {i} rooms and was built by Ann Low.",
                        "response": f"The mill has {i + 1} rooms and was built by Ann Low.",
                    }
                )
                + "\n"
                for i in turns
            )
        )

    write(2, 3, 4)
    shutil.copy(log, folder / "first.jsonl")
    score_by("small-shards", profiles, log, store)
    score_by("small-shards", profiles, log, store, "--set", "variant=multi")
    write(3, 4, 5)
    score_by("small-shards", profiles, log, store, "--set", "variant=multi")
    return store


def score_by(profile, profiles, log, store, *more):
    """Score a log by a profile into a store."""
    done = q2("score", log, "--store", store, "--profile", profile, "--profiles", profiles, *more)
    assert done.code == 0, done.err


@pytest.mark.slow
def test_two_profiles_stand_side_by_side(several, tmp_path, profiles):
    """Each view shows both under `profile`; a pair that one has not scored is missing there only."""
    store = shutil.copytree(several, tmp_path / "store")
    score_by("other-nli", profiles, several.parent / "first.jsonl", store)
    with connect(Store.open(store)) as connection:
        found = query(
            connection, "SELECT profile, count(*) FROM scores GROUP BY 1 ORDER BY 1"
        ).rows()
        evidence = query(connection, "SELECT DISTINCT profile FROM evidence ORDER BY 1").rows()
    multi = "small-shards+variant=multi"
    assert found == [("other-nli", 3), ("small-shards", 3), (multi, 4)]
    assert evidence == [("other-nli",), ("small-shards",), (multi,)]


@pytest.mark.parametrize(
    ("completed", "shown"), [("2999-01-01T00:00:00+00:00", "multi"), ("", "single")]
)
def test_of_a_profile_the_configuration_completed_last_is_shown(
    several, tmp_path, completed, shown
):
    """Another version of a profile takes its place in the views once a run with it has completed."""
    store = tmp_path / "store"
    shutil.copytree(several, store)
    configurations = {
        told["parameters"]["variant"]: (path, told["digest"])
        for path in (store / "configurations").glob("q2.small-shards.*.json")
        if (told := json.loads(path.read_text()))
    }
    multi, _ = configurations["multi"]
    found = Store.open(store)
    content = found.read_json(multi)
    found.write_json(multi, content | {"profile": "small-shards", "last_used": completed})
    with connect(found) as connection:
        for table in ("roundtrip", "scores"):
            assert query(
                connection,
                f"SELECT DISTINCT configuration FROM {table} WHERE profile = 'small-shards'",
            ).rows() == [(configurations[shown][1],)]
        most = query(
            connection,
            "SELECT max(kept) FROM (SELECT count(*) FILTER (WHERE reason = 'kept') AS kept "
            "FROM roundtrip WHERE profile = 'small-shards' GROUP BY pair_id, span_index)",
        ).item()
        twice = query(
            connection,
            "SELECT count(*) FROM (FROM scores SELECT profile, pair_id GROUP BY ALL HAVING count(*) > 1)",
        ).item()
    assert (most > 1) is (shown == "multi")
    assert twice == 0


def test_a_superseded_content_of_a_log_is_not_shown(several):
    """The turns are those of the log's latest content; earlier pairs and scores are kept."""
    with connect(Store.open(several)) as connection:
        turns = query(connection, "SELECT id FROM turns ORDER BY id").rows()
        inputs = query(connection, "SELECT turns FROM inputs").rows()
        pairs = query(connection, "SELECT count(*) FROM pairs").rows()
    assert turns == [("t3",), ("t4",), ("t5",)]
    assert (inputs, pairs) == ([(3,)], [(4,)])


def test_a_store_with_a_quote_in_its_name_can_be_asked(several, tmp_path):
    """Paths are literals in SQL, whatever is in them."""
    store = tmp_path / "Ann's [new] store"
    shutil.copytree(several, store)
    with connect(Store.open(store)) as connection:
        assert query(connection, "SELECT count(*) FROM scores").rows() == [(7,)]
        assert query(connection, "SELECT count(DISTINCT shard) FROM pairs").rows()[0][0] > 0


def test_stage_tables_are_the_views_with_profiles(ask):
    """Each stage view names metric, profile and configuration of every row."""
    of_q2 = {stage.name for stage in Q2.stages}
    scored_by = ask("SELECT metric, profile, configuration FROM configurations")
    assert [(metric, profile) for metric, profile, _ in scored_by] == [("q2", "compact")]
    for table in STAGE_TABLES:
        found = ask(f"SELECT DISTINCT metric, profile, configuration FROM {table.name}")
        assert found == (scored_by if table.name in of_q2 else [])
