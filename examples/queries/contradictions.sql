-- Replies that contradict their knowledge: the question, what the bot said and what the text says.
SELECT
    comparisons.profile,
    turns.id,
    turns.timestamp,
    turns.metadata ->> 'bot_version' AS bot_version,
    questions.question,
    spans.text AS reply_says,
    answers.knowledge_answer AS knowledge_says,
    round(comparisons.nli_contradiction, 3) AS nli_contradiction,
    turns.response
FROM comparisons
JOIN answers USING (profile, pair_id, span_index, "rank")
JOIN questions USING (profile, pair_id, span_index, "rank")
JOIN spans USING (profile, pair_id, span_index)
JOIN turns USING (pair_id)
WHERE comparisons.verdict = 'contradicted'
ORDER BY comparisons.profile, comparisons.nli_contradiction DESC, turns.id;
