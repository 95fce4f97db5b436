"""Training of a network that tells claims from talk about the chat; the product does not use it yet."""
