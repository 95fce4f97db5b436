"""Locks by which processes share a store."""
