"""View of the probabilities by the calibrations of scores."""

from qsquared.storage.sql.views.view import View

CALIBRATED = View(
    "calibrated",
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
