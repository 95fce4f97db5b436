-- Why generated questions were dropped before the knowledge was asked.
-- Many `mismatch` rows point to a weak question generator or QA model and cost coverage.
WITH reasons AS (
    SELECT roundtrip.profile, questions.form, roundtrip.reason, count(*) AS questions
    FROM roundtrip
    JOIN questions USING (profile, pair_id, span_index, "rank")
    WHERE roundtrip.error IS NULL
    GROUP BY ALL
)
SELECT *, round(questions / sum(questions) OVER (PARTITION BY profile, form), 3) AS share
FROM reasons
ORDER BY profile, form, questions DESC, reason;
