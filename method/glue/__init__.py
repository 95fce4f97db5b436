"""Indicators of dialogue quality as pure functions."""
