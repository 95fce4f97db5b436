"""Loaders of the training sets, in their published formats."""
