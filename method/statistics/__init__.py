"""Statistics of scores beside labels."""
