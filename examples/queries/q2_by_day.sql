-- Mean Q² of each day (UTC) and its change from the day before.
WITH days AS (
    SELECT
        profiles.profile,
        CAST(turns.timestamp AT TIME ZONE 'UTC' AS DATE) AS day,
        count(*) AS turns,
        count(scores.q2) AS scored,
        avg(scores.q2) AS mean_q2,
        count(*) FILTER (WHERE scores.contradicted > 0) AS with_contradiction
    FROM turns
    CROSS JOIN (SELECT DISTINCT profile FROM scores) AS profiles
    LEFT JOIN scores ON scores.pair_id = turns.pair_id AND scores.profile = profiles.profile
    WHERE turns.timestamp IS NOT NULL
    GROUP BY ALL
)
SELECT
    profile,
    day,
    turns,
    scored,
    round(mean_q2, 3) AS mean_q2,
    round(mean_q2 - lag(mean_q2) OVER (PARTITION BY profile ORDER BY day), 3) AS change,
    with_contradiction
FROM days
ORDER BY profile, day;
