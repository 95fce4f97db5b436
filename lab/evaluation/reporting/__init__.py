"""Reports of an evaluation, as Markdown, JSON and HTML."""
