"""Stages of the GLUE proxy indicators."""
