"""Training of the GLUE indicators."""
