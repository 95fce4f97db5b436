-- Q² beside the hand-written label of the example log (metadata field `expected`).
-- A good run ranks `faithful` above `contradiction` and `hallucination`.
SELECT
    profiles.profile,
    turns.metadata ->> 'expected' AS expected,
    count(*) AS turns,
    count(scores.q2) AS scored,
    round(avg(scores.q2), 3) AS mean_q2,
    round(median(scores.q2), 3) AS median_q2,
    round(avg(scores.q2_without_nli), 3) AS mean_q2_without_nli,
    count(*) FILTER (WHERE scores.q2 < 0.5) AS below_half
FROM turns
CROSS JOIN (SELECT DISTINCT profile FROM scores) AS profiles
LEFT JOIN scores ON scores.pair_id = turns.pair_id AND scores.profile = profiles.profile
GROUP BY ALL
ORDER BY profiles.profile, mean_q2 DESC NULLS LAST;
