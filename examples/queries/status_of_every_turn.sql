-- What became of every turn; the counts of a profile add up to the number of turns in the store.
-- A `pending` turn belongs to a pair that the profile has not scored yet.
WITH outcomes AS (
    SELECT
        profiles.profile,
        coalesce(turns.status, scores.status, 'pending') AS status,
        count(*) AS turns,
        any_value(coalesce(turns.reason, scores.reason)) AS example_reason
    FROM turns
    CROSS JOIN (SELECT DISTINCT profile FROM scores) AS profiles
    LEFT JOIN scores ON scores.pair_id = turns.pair_id AND scores.profile = profiles.profile
    GROUP BY ALL
)
SELECT
    profile,
    status,
    turns,
    round(turns / sum(turns) OVER (PARTITION BY profile), 3) AS share,
    example_reason
FROM outcomes
ORDER BY profile, turns DESC, status;
