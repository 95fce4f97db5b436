"""Measure how well answers are compared by their values."""
