"""Stages of the baselines and of the blend."""
