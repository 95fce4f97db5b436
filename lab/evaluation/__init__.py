"""Agreement of the metrics with people, by the protocols of the papers, on a user's data."""
