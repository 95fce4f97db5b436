"""View of the knowledge passages: how often replies were given each, and what came of it."""

from qsquared.method.threshold import inconsistent_sql
from qsquared.storage.logs.fields.passages import SOURCES
from qsquared.storage.sql.views.view import LEADING, View

TITLES = ("title", "documentTitle", "name", "filename", "file_name", "id", "document_id", "doc_id")
"""Fields that name a passage, the best one first."""

_ADDRESSES = ("url", "uri", "documentUri", "filepath", "source")


def first_of(names: tuple[str, ...]) -> str:
    """The first of some fields that a passage's record in the log has, as SQL."""
    values = ", ".join(f"source ->> '{name}'" for name in names)
    return f"coalesce({values})"


PASSAGES = View(
    "passages",
    f"""
WITH of_pair AS (
  SELECT pair_id, count(*) AS turns,
         any_value(CASE WHEN contains(metadata, '"{SOURCES}"')
                        THEN json_extract(metadata, '$.{SOURCES}') END) AS sources
  FROM turns WHERE pair_id IS NOT NULL GROUP BY pair_id
), given AS (
  SELECT pair_id, turns, sources, unnest(knowledge) AS text,
         generate_subscripts(knowledge, 1) - 1 AS passage
  FROM pairs JOIN of_pair USING (pair_id)
), named AS (
  SELECT * EXCLUDE (source), {first_of(TITLES)} AS title, {first_of(_ADDRESSES)} AS address
  FROM (SELECT *, json_extract(sources, '$[' || passage || ']') AS source FROM given)
), asked AS (
  SELECT metric, profile, pair_id, passage, bool_or(verdict = 'contradicted') AS contradicts
  FROM answers JOIN comparisons USING (metric, profile, pair_id, span_index, rank)
  WHERE passage IS NOT NULL GROUP BY metric, profile, pair_id, passage
)
SELECT c.metric, c.profile, md5(n.text) AS passage_id, min(n.title) AS title,
       min(n.address) AS address, n.text, CAST(sum(n.turns) AS BIGINT) AS retrieved,
       CAST(coalesce(sum(n.turns) FILTER (WHERE s.q2 IS NOT NULL), 0) AS BIGINT) AS scored,
       CAST(coalesce(sum(n.turns) FILTER (WHERE a.passage IS NOT NULL), 0) AS BIGINT) AS answered,
       CAST(coalesce(sum(n.turns) FILTER (WHERE a.contradicts AND {inconsistent_sql(LEADING)}), 0)
            AS BIGINT) AS contradicted,
       CAST(coalesce(sum(n.turns) FILTER (WHERE {inconsistent_sql(LEADING)}), 0) AS BIGINT)
         AS inconsistent,
       CASE WHEN count(s.q2) > 0 THEN count(a.passage) = 0 END AS never_used
FROM named n CROSS JOIN (FROM configurations WHERE metric = 'q2') c
LEFT JOIN scores s ON s.metric = c.metric AND s.profile = c.profile AND s.pair_id = n.pair_id
LEFT JOIN asked a ON a.metric = c.metric AND a.profile = c.profile AND a.pair_id = n.pair_id
  AND a.passage = n.passage
GROUP BY c.metric, c.profile, n.text
""",
)
