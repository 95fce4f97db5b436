"""Markup of replies, such as Markdown, HTML and citation marks, taken off with offsets kept."""
