"""Checkpoints: find, verify and read the files of models."""
