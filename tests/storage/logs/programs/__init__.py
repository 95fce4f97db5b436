"""Logs of other programs, with the conversation of `desk` in each program's published form."""
