"""Profiles: named sets of models, with their roles and parameters."""
