"""Functions that make messages and spans out of streams that no description can say."""
