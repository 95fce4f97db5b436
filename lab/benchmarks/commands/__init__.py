"""Time that the commands take."""
