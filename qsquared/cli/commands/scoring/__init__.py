"""Commands that read logs and score replies."""
