"""The report: one HTML file on inconsistent replies, and explanations for notebooks."""
