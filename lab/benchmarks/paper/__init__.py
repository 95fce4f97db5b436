"""Speed of our stages against the one-by-one loop of Q²'s published code, with its architectures."""
