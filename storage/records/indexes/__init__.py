"""Index and check the files of a store."""
