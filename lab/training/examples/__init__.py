"""Examples that the reader and the judge are trained on."""
