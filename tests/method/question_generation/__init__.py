"""Questions by rules."""
