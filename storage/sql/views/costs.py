"""The view of what the servers that play roles were asked, and what it cost."""

from qsquared.storage.sql.views.view import View

COSTS = View(
    "costs",
    """
SELECT CAST(make_timestamp(epoch_us(answered_at)) AS DATE) AS day, stage, model, count(*) AS requests,
       count(*) FILTER (WHERE NOT sound) AS refused, CAST(sum(input_tokens) AS BIGINT) AS input_tokens,
       CAST(sum(output_tokens) AS BIGINT) AS output_tokens, sum(cost) AS cost, currency
FROM requests GROUP BY ALL
""",
)
