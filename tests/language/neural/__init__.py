"""Tests of the threads and the memory of neural models."""
