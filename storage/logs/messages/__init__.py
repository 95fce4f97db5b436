"""Messages with roles, and the answers and passages that they hold."""
