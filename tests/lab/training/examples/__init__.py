"""Tests of the training examples of the reader and the judge."""
