"""Roles played by a server with OpenAI's interface, asked once for each text."""
