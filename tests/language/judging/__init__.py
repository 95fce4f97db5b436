"""Tests of the models that judge a reply."""
