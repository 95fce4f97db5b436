"""Tables of `q2 sql` that the program fills from the small files: inputs, runs, configurations."""

from qsquared.storage.sql.views.view import PAIR_ID, PROFILE, View
from qsquared.storage.tables.registry import MEASURED

INPUTS = View(
    "inputs",
    "One row for each log file in the store.",
    (
        ("input", "Fingerprint of the content and of how it was read.", ""),
        ("source", "Path of the log.", ""),
        ("turns", "Rows that are turns.", ""),
        ("rejects", "Rows that could not be read.", ""),
        ("limit", "Number of turns after which the reading stopped.", "read whole"),
        ("ingested_at", "When it was read.", ""),
    ),
)

RUNS = View(
    "runs",
    "One row for each run of `q2 score`.",
    (
        ("run_id", "Name of the run; it begins with its time.", ""),
        ("started_at", "When it began.", ""),
        ("profile", "The profile that was asked for.", ""),
        ("metric", "The metric.", ""),
        ("status", "`running`, `completed`, `failed`, `interrupted` or `killed`.", ""),
        ("turns", "Turns that it was about.", "it did not complete"),
        ("mean_q2", "Mean Q² over those that have a score.", "it did not complete, or none has"),
        ("seconds", "How long it took.", "unknown"),
        ("summary", "Its whole record as JSON: models, parameters, configuration, counts.", ""),
    ),
)

CONFIGURATIONS = View(
    "configurations",
    "One row for each metric and profile whose scores are shown.",
    (
        *PROFILE,
        ("configuration", "Hash of everything that decides a score.", ""),
        ("parameters", "The metric's parameters as JSON.", ""),
        ("completed_at", "When a run last completed with it.", "none did"),
    ),
)

CALIBRATIONS = View(
    "calibrations",
    "One row for each calibration that `q2 calibrate` made of a score.",
    (
        ("calibration", "Its name.", ""),
        ("measure", "The score.", ""),
        *PROFILE,
        ("labels", "Number of judged replies that it was made from.", ""),
        ("data", "Hash of their judgements.", ""),
        ("threshold", "At or below it a score is called inconsistent.", "none was asked for"),
        ("auc", "Area under the curve on held-out folds.", "not defined"),
        ("knots", "Scores of the curve, lowest first.", ""),
        ("chances", "Probability of an inconsistent reply at each knot.", ""),
        ("configuration", "Hash of everything that decides the scores that it was made from.", ""),
        (
            "current",
            "Whether scores of that configuration are shown; `calibrated` has no row of another.",
            "",
        ),
    ),
)

CALIBRATED = View(
    "calibrated",
    "One row for each current calibration and each pair that has its score: the probability that the "
    "reply is inconsistent.",
    (
        ("calibration", "Name of the calibration.", ""),
        *PROFILE,
        PAIR_ID,
        ("measure", "The score.", ""),
        ("score", "Its value, which no calibration changes.", ""),
        ("probability", "Probability that the reply is inconsistent, 0 to 1.", ""),
        (
            "calibrated",
            "Whether the reply is called inconsistent: by the threshold, or, without one, by a probability of 0.5 or more.",
            "",
        ),
    ),
    tuple(table.name for table in MEASURED),
    """
SELECT calibration, metric, profile, pair_id, measure, score, probability,
       coalesce(score <= threshold, probability >= 0.5) AS calibrated
FROM (
  SELECT v.*, k.chance + coalesce((v.inner_score - k.knot) / nullif(k.next_knot - k.knot, 0)
           * (k.next_chance - k.chance), 0) AS probability
  FROM (
    SELECT c.calibration, m.metric, m.profile, m.pair_id, m.measure, m.value AS score, c.threshold,
           least(greatest(m.value, c.knots[1]), c.knots[-1]) AS inner_score
    FROM measures m JOIN calibrations c USING (measure, metric, profile, configuration)
    WHERE m.value IS NOT NULL AND c.current
  ) v
  ASOF JOIN (
    SELECT calibration, knot, chance, lead(knot) OVER ordered AS next_knot,
           lead(chance) OVER ordered AS next_chance
    FROM (SELECT calibration, unnest(knots) AS knot, unnest(chances) AS chance FROM calibrations)
    WINDOW ordered AS (PARTITION BY calibration ORDER BY knot)
  ) k ON v.calibration = k.calibration AND v.inner_score >= k.knot
)
""",
)
