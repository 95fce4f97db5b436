"""Pairs of answers made from known numbers, measures and times."""
