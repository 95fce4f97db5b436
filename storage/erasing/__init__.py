"""Take turns out of a store for good, with everything that was made of them."""
