"""Batches, windows, memory and arithmetic of neural models."""
