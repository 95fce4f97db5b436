"""True rates from a few judgements: designs of samples, estimates with scores, and calibration."""
