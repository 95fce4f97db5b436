"""The clauses of a knowledge text: which one a question or a claim speaks of."""
