"""Definitions of the SQL views."""
