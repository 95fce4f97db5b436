"""The training examples of the judge and of the reader: sources, weights and cleaning."""
