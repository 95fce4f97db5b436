"""Views and queries over a store in DuckDB."""
