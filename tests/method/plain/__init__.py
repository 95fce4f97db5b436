"""Tests of the plain text of replies, their sentences and kinds."""
