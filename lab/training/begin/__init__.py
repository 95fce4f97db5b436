"""Training of the classifier of replies (BEGIN)."""
