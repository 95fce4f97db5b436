"""Models that judge a reply against its knowledge."""
