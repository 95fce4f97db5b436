"""Parts of a scoring run: parameters, reading, planning, claims, workers and records."""
