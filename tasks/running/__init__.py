"""Runs of stages over the shards of a store."""
