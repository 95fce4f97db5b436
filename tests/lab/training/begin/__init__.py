"""Tests of the training of the classifier of replies."""
