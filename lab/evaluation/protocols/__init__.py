"""Protocols of the papers."""
