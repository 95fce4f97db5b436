"""Coverage of the corrected rate, on replies that people judged."""
