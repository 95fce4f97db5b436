"""Prefect's API, its database and its runs."""
