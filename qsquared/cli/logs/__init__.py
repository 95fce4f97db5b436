"""Read the options that name logs, and show what a log holds before it is scored."""
