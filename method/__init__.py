"""The papers' methods as pure functions, without Prefect, DuckDB or transformers."""
