"""Read quantities, dates and other values in short answers."""
