"""Checks, repair and clean-up of a store."""
