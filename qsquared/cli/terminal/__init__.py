"""Show scores, tables and progress on a terminal."""
