"""Profiles: named sets of models."""
