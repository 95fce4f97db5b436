"""Commands that check, clean and repair a store."""
