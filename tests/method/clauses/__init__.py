"""Tests of the clauses of a knowledge text."""
