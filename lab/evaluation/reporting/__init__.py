"""Reports of an evaluation, as Markdown and JSON."""
