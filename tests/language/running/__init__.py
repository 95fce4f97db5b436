"""Tests of the arithmetic and the memory of neural models."""
