"""The training examples of the judge and of the reader: loaders of the sets, weights and cleaning."""
