"""Profiles measured by labelled replies, and compared on the same ones."""
