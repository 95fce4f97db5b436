"""Checkpoints: where they are, how they are verified and read."""
