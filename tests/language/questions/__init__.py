"""Tests of the question generators."""
