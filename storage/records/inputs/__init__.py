"""Read logs into tables once, and record each."""
