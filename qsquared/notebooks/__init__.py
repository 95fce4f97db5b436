"""Parts of the interface for notebooks: their inputs, their results, and opened stores."""
