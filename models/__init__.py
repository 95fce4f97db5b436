"""Data only: the shipped weights, one folder a model, each with its card."""
