"""The method of the papers as pure functions. Knows neither Prefect, DuckDB nor transformers."""
