"""The steps of Q² as pure functions."""
