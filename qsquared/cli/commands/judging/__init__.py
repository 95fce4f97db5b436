"""Commands that judge scores, by people or by rules."""
