"""Stages of the metrics beside Q²."""
