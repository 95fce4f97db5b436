"""The parsed sentence that a question is made of."""
