"""The steps of Q²."""
