"""Scores and explanations in the forms that other programs take."""
