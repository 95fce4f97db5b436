"""Tests of the engines of the encoders."""
