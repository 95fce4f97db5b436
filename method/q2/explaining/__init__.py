"""Explanations of a score: its spans, their share of the loss, and sentences about them."""
