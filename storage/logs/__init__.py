"""Reading of logs into turns."""
