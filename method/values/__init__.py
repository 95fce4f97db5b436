"""Values in short answers, such as quantities and dates, and their comparison (decision 22)."""
