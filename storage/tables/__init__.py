"""Columns of every table that the store writes, with their meaning."""
