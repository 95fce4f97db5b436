"""Adapters of chat interfaces: messages with roles."""
