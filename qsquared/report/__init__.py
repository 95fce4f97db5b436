"""The report: one HTML file on how often replies are inconsistent, where, since when, and which."""
