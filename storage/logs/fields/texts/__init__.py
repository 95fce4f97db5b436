"""Read the objects, lists and parts that a field holds as text."""
