"""Readers of file formats, which turn bytes into rows."""
