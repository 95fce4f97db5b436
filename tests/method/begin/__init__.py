"""BEGIN's classes of replies."""
