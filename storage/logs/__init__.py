"""Read logs into turns."""
