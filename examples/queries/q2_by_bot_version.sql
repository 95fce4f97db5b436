-- Mean Q² of each bot version, with the number of scored turns behind it and its coverage.
-- A score of NULL means that the turn was not scored, so it lowers the coverage and not the mean.
SELECT
    profiles.profile,
    turns.metadata ->> 'bot_version' AS bot_version,
    count(*) AS turns,
    count(scores.q2) AS scored,
    round(count(scores.q2) / count(*), 3) AS coverage,
    round(avg(scores.q2), 3) AS mean_q2,
    count(*) FILTER (WHERE scores.q2 < 0.5) AS below_half,
    count(*) FILTER (WHERE scores.status = 'fallback_nli') AS by_fallback
FROM turns
CROSS JOIN (SELECT DISTINCT profile FROM scores) AS profiles
LEFT JOIN scores ON scores.pair_id = turns.pair_id AND scores.profile = profiles.profile
GROUP BY ALL
ORDER BY profiles.profile, bot_version;
