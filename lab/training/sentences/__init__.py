"""Training of the network that tells claims from talk about the chat."""
