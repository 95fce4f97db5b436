"""Parts of a scoring run: reading, planning, sharing and recording."""
