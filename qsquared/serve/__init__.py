"""Pages over a store in a browser: ``q2 serve``."""
