"""Adapters of dialogue systems and of published dialogues."""
