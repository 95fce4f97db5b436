"""Batches, memory and progress of neural models."""
