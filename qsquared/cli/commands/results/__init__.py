"""Commands that show what a store holds."""
