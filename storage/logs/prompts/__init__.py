"""Passages that a program wrote into a prompt, told apart from instructions and the question."""
