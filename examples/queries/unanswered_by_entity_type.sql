-- How often the knowledge does not answer a valid question, by the kind of span asked for.
-- High shares point to the kinds of detail that the bot makes up.
-- Each pair counts once, however many turns share it.
SELECT
    comparisons.profile,
    coalesce(spans.label, spans.kind) AS span_type,
    count(*) FILTER (WHERE comparisons.verdict = 'no_answer') AS unanswered,
    count(*) AS questions,
    round(count(*) FILTER (WHERE comparisons.verdict = 'no_answer') / count(*), 3) AS share,
    any_value(questions.question) FILTER (WHERE comparisons.verdict = 'no_answer') AS example
FROM comparisons
JOIN spans USING (profile, pair_id, span_index)
JOIN questions USING (profile, pair_id, span_index, "rank")
WHERE comparisons.error IS NULL
GROUP BY ALL
ORDER BY comparisons.profile, share DESC, questions DESC, span_type;
