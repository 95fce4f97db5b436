"""Tests of the files of models."""
