"""Prefect flows: the order of the stages, the loop over shards, schedules. No method code."""
